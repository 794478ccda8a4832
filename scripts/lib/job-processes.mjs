import { readdirSync, readFileSync } from 'node:fs';

/**
 * Living processes that belong to a job, by the mark that each has in its environment.
 * @param {(id: string, environment: readonly string[]) => boolean} isOurs
 * @returns {{ pid: number, id: string }[]}
 */
export function jobProcesses(isOurs) {
  const mark = 'LAB_JOB_ID=';
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const environment = readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
        const id = environment.find((entry) => entry.startsWith(mark))?.slice(mark.length);
        return id !== undefined && isOurs(id, environment) ? [{ pid: Number(pid), id }] : [];
      } catch {
        // It has ended meanwhile, or belongs to another user.
        return [];
      }
    });
}

/**
 * Kills the living processes of jobs whose environment has an entry that begins so.
 * @param {string} entry
 */
export function killJobProcesses(entry) {
  const isOurs = (/** @type {string} */ _id, /** @type {readonly string[]} */ environment) =>
    environment.some((one) => one.startsWith(entry));
  for (const { pid } of jobProcesses(isOurs)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
}
