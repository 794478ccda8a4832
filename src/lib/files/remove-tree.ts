import { rmdir, unlink } from 'node:fs/promises';
import { systemCode } from '../app-error.ts';
import type { OpenDirectory } from './open-directory.ts';

/** unlink(2): Linux says EISDIR of a directory, POSIX EPERM. */
const directoryCodes = new Set(['EISDIR', 'EPERM']);

/**
 * Erases `name` in `parent`, with all that is in it. A link is taken away, never followed, whenever it came; what is mounted
 * below is not gone into. One that is not there is no error. Node's own `rm` goes by names: a link that somebody puts in the
 * place of a directory in the right moment would have it erase something else.
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
