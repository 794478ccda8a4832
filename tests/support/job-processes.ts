import { readFileSync, readdirSync } from 'node:fs';
import { eventually } from './eventually.ts';

interface SeenProcess {
  readonly pid: number;
}

function hasAssignment(pid: number, assignment: string): boolean {
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`.includes(`\0${assignment}\0`);
  } catch {
    // It ended while we looked.
    return false;
  }
}

/**
 * Living processes that carry the job's id in their environment, in the order of their pids. Looks for itself, without
 * the code that is under test; a zombie has no environment.
 */
export function processesOf(jobId: string): SeenProcess[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  return pids.filter((pid) => hasAssignment(pid, `LAB_JOB_ID=${jobId}`)).map((pid) => ({ pid }));
}

/** Kills what is left of a job. */
export async function killAll(jobId: string): Promise<void> {
  await eventually(`the processes of ${jobId} to be gone`, () => {
    const left = processesOf(jobId);
    for (const { pid } of left) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It went by itself.
      }
    }
    return left.length === 0;
  });
}
