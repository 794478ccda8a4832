import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { systemCode } from '../app-error.ts';

async function isDirectory(name: string): Promise<boolean> {
  return stat(name).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/**
 * Makes a directory, and those above it that are missing. A directory that is there stays as it is.
 * In contrast to the recursive `mkdir` of Node it ends in /proc too, where the parent exists and mkdir(2) answers ENOENT
 * all the same: Node tries for ever.
 * @throws Error of mkdir(2).
 */
export async function makeDirectories(directory: string, mode: number): Promise<void> {
  try {
    await mkdir(directory, { mode });
  } catch (error) {
    if (await isDirectory(directory)) return;
    if (systemCode(error) !== 'ENOENT') throw error;
    const parent = path.dirname(path.resolve(directory));
    if (!(await isDirectory(parent))) await makeDirectories(parent, mode);
    // Also when the parent exists by now: another process may have made it since.
    await mkdir(directory, { mode }).catch(async (again: unknown) => {
      if (!(await isDirectory(directory))) throw again;
    });
  }
}
