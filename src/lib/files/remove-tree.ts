import { rmdir, unlink } from 'node:fs/promises';
import { systemCode } from '../app-error.ts';
import { Descent } from './descent.ts';
import type { OpenDirectory } from './open-directory.ts';

/** unlink(2): Linux says EISDIR of a directory, POSIX EPERM. */
const directoryCodes = new Set(['EISDIR', 'EPERM']);

/** Removes anything but a directory; whether it is gone. */
async function unlinked(file: string): Promise<boolean> {
  try {
    await unlink(file);
    return true;
  } catch (error) {
    const code = systemCode(error) ?? '';
    if (code === 'ENOENT') return true;
    if (directoryCodes.has(code)) return false;
    throw error;
  }
}

/**
 * Erases `name` in `parent`, with all that is in it. A link is removed, never followed, whenever it was made; mounts below are
 * not entered. A missing `name` is not an error. Node's own `rm` goes by names: a link that replaces a directory at the right
 * moment would make it erase something else.
 * @throws Error of the system at the first thing that cannot be erased.
 */
export async function removeTree(parent: OpenDirectory, name: string): Promise<void> {
  if (await unlinked(parent.at(name))) return;
  const way = new Descent(parent);
  try {
    await way.enter(name);
    while (way.depth > 0) {
      const entry = await way.next();
      if (entry === undefined) {
        const emptied = await way.leave();
        await rmdir(way.here.at(emptied));
      } else if (!(await unlinked(way.here.at(entry)))) await way.enter(entry);
    }
  } finally {
    await way.close();
  }
}
