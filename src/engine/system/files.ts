/**
 * Reads and writes files with paths from users and repositories, while the engine runs as root. It never writes
 * through a symbolic link, and never waits for a pipe or a device.
 */
import { randomInt } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { mkdir, open, readdir, rm, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { messageOf, systemCode } from '../../lib/app-error.ts';
import { NotPlainFile, readPlainBytes, TooLongFile } from '../../lib/files/plain-file.ts';
import { writeDurably } from '../../lib/files/write-durably.ts';
import { EngineError } from '../core/engine-error.ts';

const suffix = /^\.\d+$/;

/**
 * A new name beside `file`: `replaceFile` writes into `<file>.<number>` first and then renames it. A command that is
 * killed in between leaves such a temporary file.
 */
export function temporaryName(file: string): string {
  return `${file}.${process.pid}${randomInt(1_000_000, 10_000_000)}`;
}

/** The temporary files of `file` that exist; each belongs to a writer, dead or alive. */
export async function temporariesOf(file: string): Promise<string[]> {
  const directory = path.dirname(file);
  const base = path.basename(file);
  const names = await readdir(directory).catch(() => []);
  const ours = names.filter((name) => name.startsWith(base) && suffix.test(name.slice(base.length)));
  return ours.map((name) => path.join(directory, name));
}

/** Removes them. The caller has the lock for writing `file`, so no command is writing into one of them. */
export async function removeTemporaries(file: string): Promise<void> {
  for (const temporary of await temporariesOf(file)) await rm(temporary, { force: true });
}

/** Makes a directory and its parents. (Node's own `recursive` never returns for paths below `/proc`.) */
export async function makeDirectory(directory: string, mode = 0o777): Promise<void> {
  if (existsSync(directory)) return;
  await makeDirectory(path.dirname(directory), mode);
  try {
    await mkdir(directory, { mode });
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
}

/**
 * Opens a lock file, and creates it if it is missing. Never follows a symbolic link, and never waits for the other
 * end of a pipe.
 * @throws EngineError when that name is not a regular file.
 */
export async function openLockFile(file: string, mode: number): Promise<FileHandle> {
  const { O_RDWR, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
  try {
    const handle = await open(file, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, mode);
    if ((await handle.stat()).isFile()) return handle;
    await handle.close();
  } catch (error) {
    if (!['ELOOP', 'EISDIR', 'ENXIO'].includes(systemCode(error) ?? '')) throw error;
  }
  throw new EngineError(`${file} is not a regular file: remove it`);
}

/**
 * Writes a file whole or not at all; the data is on the disk when this returns. Replaces a symbolic link of that name
 * instead of following it.
 * @throws EngineError that names the file; the old file then still exists.
 */
export async function replaceFile(file: string, text: string, mode = 0o666): Promise<void> {
  try {
    await writeDurably(file, text, mode, temporaryName(file));
  } catch (error) {
    throw new EngineError(`cannot write ${file}: ${messageOf(error)}`);
  }
}

/**
 * Reads a text file. Refuses a pipe or a device, because reading could block or never end.
 * @throws EngineError with the reason, also for more than `maxBytes` and for text that is not UTF-8; a system error
 *   when the file cannot be opened.
 */
export async function readTextFile(file: string, maxBytes: number): Promise<string> {
  return readText(file, { maxBytes, followsLinks: true });
}

/** More than the engine ever writes into one of its files. */
const ownFileMaxBytes = 268_435_456;

/**
 * Reads a file that the engine wrote, in a place where other users may write too: as `readTextFile`, but does not
 * follow a symbolic link (ELOOP).
 */
export async function readOwnFile(file: string): Promise<string> {
  return readText(file, { maxBytes: ownFileMaxBytes, followsLinks: false });
}

async function readText(
  file: string,
  options: { readonly maxBytes: number; readonly followsLinks: boolean },
): Promise<string> {
  const reading = await readPlainBytes(file, options);
  if (reading.kind !== 'found') {
    const { error } = reading;
    if (error instanceof TooLongFile)
      throw new EngineError(`${file} has more than ${Math.round(options.maxBytes / 1_048_576)} MiB`);
    throw error instanceof NotPlainFile ? new EngineError(`${file} is not a regular file`) : error;
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(reading.bytes);
  } catch {
    throw new EngineError(`${file} is not text in UTF-8`);
  }
}
