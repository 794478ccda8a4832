import { rmdir, unlink } from 'node:fs/promises';
import { systemCode } from '../app-error.ts';
import type { OpenDirectory } from './open-directory.ts';

/** unlink(2): Linux says EISDIR of a directory, POSIX EPERM. */
const directoryCodes = new Set(['EISDIR', 'EPERM']);

/**
 * Erases `name` in `parent`, with all that is in it. A link is removed, never followed, whenever it was made; mounts below are
 * not entered. A missing `name` is not an error. Node's own `rm` goes by names: a link that replaces a directory at the right
 * moment would make it erase something else.
 * @throws Error of the system at the first thing that cannot be erased.
 */
export async function removeTree(parent: OpenDirectory, name: string): Promise<void> {
  try {
    await unlink(parent.at(name));
    return;
  } catch (error) {
    const code = systemCode(error) ?? '';
    if (code === 'ENOENT') return;
    if (!directoryCodes.has(code)) throw error;
  }
  const directory = await parent.directory(name);
  try {
    for (const entry of await directory.entries()) await removeTree(directory, entry.name);
  } finally {
    await directory.close();
  }
  await rmdir(parent.at(name));
}
