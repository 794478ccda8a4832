import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';

/** Makes so many directories, each in the one before, and a file in the lowest: longer paths than the system takes (PATH_MAX). */
export function makeDeepTree(directory: string, levels: number, name = 'd'): void {
  let current = openSync(directory, 'r');
  for (let level = 0; level < levels; level += 1) {
    const below = `/proc/self/fd/${current}/${name}`;
    mkdirSync(below);
    const next = openSync(below, 'r');
    closeSync(current);
    current = next;
  }
  writeFileSync(`/proc/self/fd/${current}/file`, '12345');
  closeSync(current);
}
