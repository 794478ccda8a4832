import { readFileSync, readdirSync } from 'node:fs';

/**
 * Pids of living processes that were started with this assignment in their environment; without the code under test. One that
 * becomes another program (execve) right now shows none: wait for those that are to be there.
 */
export function processesWith(assignment: string): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => {
    try {
      // A zombie has no environment any more.
      return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(assignment);
    } catch {
      // Gone meanwhile.
      return false;
    }
  });
}
