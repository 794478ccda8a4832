import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Makes the file that `wait_for` of the fake lab CLI looks for, and wakes those that wait in a read of their pipes. */
export function openGate(state: string, name: string): void {
  writeFileSync(path.join(state, name), '');
  for (const pipe of readdirSync(state).filter((entry) => entry.startsWith(`pipe-${name}.`))) {
    try {
      // `r+` waits for no reader (fifo(7)): there is none when the one that made the pipe has been killed.
      writeFileSync(path.join(state, pipe), '\n', { flag: 'r+' });
    } catch (error) {
      // It went on, and took its pipe away.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}
