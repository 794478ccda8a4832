/** Replaces files whole or not at all: neither a crash of the service nor one of the machine leaves half of one. */
import { chown, lstat, open, rename, rm } from 'node:fs/promises';
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

/** Who started the service once as root must not leave files that its own user cannot read. */
async function keepOwner(file: string, replacement: string): Promise<void> {
  const before = await lstat(file).catch(() => undefined);
  // Refused to ordinary users, whose files these are already.
  if (before) await chown(replacement, before.uid, before.gid).catch(() => undefined);
}

async function writeNew(file: string, content: string | Iterable<string>, mode: number): Promise<void> {
  const handle = await open(file, 'wx', mode);
  try {
    // It takes an iterable too (filehandle.writeFile in Node's documentation), which its types leave out.
    await handle.writeFile(content as string);
    // Otherwise the name may reach the disk before the text: after a power cut, the file would be empty.
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Replaces a file, or makes it: temporary file, fsync, rename, fsync of the directory. The content is on disk for good
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
    await writeNew(temporary, content, mode);
    await keepOwner(file, temporary);
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncDirectory(path.dirname(file));
}
