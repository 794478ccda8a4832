/** Replaces files whole or not at all: neither a crash of the service nor one of the machine leaves half of one. */
import { lstat, open, rename, rm, type FileHandle } from 'node:fs/promises';
import path from 'node:path';

/** Puts the names in a directory on disk for good: without it, a rename(2) may be lost when the machine goes down. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * A service that once ran as root must not leave files that its own user cannot read. Through the handle: in a directory of
 * another user, the name of the temporary file may lead to any file by now, and root would change the owner of that file.
 */
async function keepOwnerAndMode(file: string, replacement: FileHandle, mode: number): Promise<void> {
  const before = await lstat(file).catch(() => undefined);
  if (!before?.isFile()) return;
  // Refused to ordinary users, whose files these are already.
  await replacement.chown(before.uid, before.gid).catch(() => undefined);
  // The umask has changed the mode that was passed to open(2).
  await replacement.chmod(before.mode & mode & 0o777);
}

/**
 * Replaces a file, which keeps its owner and as much of its mode as `mode` has, or makes it: temporary file, fsync, rename, fsync
 * of the directory. The content is on disk for good
 * when this resolves. Of one file and one name of the temporary one, one call at a time: what a crash left of that name is
 * taken away by the next call.
 * @throws Error when the disk refuses; what was there before is there still, unless only the last step failed.
 */
export async function writeDurably(
  file: string,
  content: string | Iterable<string>,
  mode: number,
  temporary = `${file}.tmp`,
): Promise<void> {
  // Not overwritten but made anew: a link of that name would have us overwrite what it leads to.
  await rm(temporary, { recursive: true, force: true }).catch(() => undefined);
  try {
    const handle = await open(temporary, 'wx', mode);
    try {
      // It takes an iterable too (filehandle.writeFile in Node's documentation), which its types leave out.
      await handle.writeFile(content as string);
      await keepOwnerAndMode(file, handle, mode);
      // Otherwise the name may reach the disk before the text: after a power cut, the file would be empty.
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncDirectory(path.dirname(file));
}
