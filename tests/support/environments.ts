import { readFileSync, readdirSync } from 'node:fs';

/** Pids of living processes that were started with this assignment in their environment; without the code under test. */
export function processesWith(assignment: string): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => {
    try {
      const isZombie = / Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1').split(')').at(-1) ?? '');
      return !isZombie && readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(assignment);
    } catch {
      // Gone meanwhile.
      return false;
    }
  });
}
