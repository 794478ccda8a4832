/**
 * How the engine reads and writes files whose paths come from people and from repositories, while it runs as root: it
 * never writes through a symbolic link, and never waits for what is no regular file.
 */
import { constants, existsSync } from 'node:fs';
import { mkdir, open, rename, rm, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { messageOf, systemCode } from '../../lib/app-error.ts';
import { EngineError } from '../core/engine-error.ts';
import { temporaryName } from './temporary-files.ts';

/** Makes a directory with those above it. (Node's own `recursive` never comes back from below `/proc`.) */
export async function makeDirectory(directory: string, mode = 0o777): Promise<void> {
  if (existsSync(directory)) return;
  await makeDirectory(path.dirname(directory), mode);
  try {
    await mkdir(directory, { mode });
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
}

async function writeNew(file: string, text: string, mode: number): Promise<void> {
  const handle = await open(file, 'wx', mode);
  try {
    await handle.writeFile(text);
    // Otherwise the name may reach the disk before the text: after a power cut, the file would be empty.
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes a rename in this directory last: without that, a power cut may bring back the file that was there before. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Opens a lock file, and makes it when it is not there. Never through a symbolic link, and never waiting for the other end
 * of a pipe.
 * @throws EngineError when something else has that name.
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
 * Writes a file whole or not at all, so that it is on the disk when this is done. A symbolic link of that name is replaced, never followed.
 * @throws EngineError that names the file; what was there before is there still.
 */
export async function replaceFile(file: string, text: string, mode = 0o666): Promise<void> {
  const temporary = temporaryName(file);
  try {
    await writeNew(temporary, text, mode);
    await rename(temporary, file);
    await syncDirectory(path.dirname(file));
  } catch (error) {
    await rm(temporary, { force: true });
    throw new EngineError(`cannot write ${file}: ${messageOf(error)}`);
  }
}

async function readAtMost(handle: FileHandle, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of handle.createReadStream({ end: limit, autoClose: false })) {
    chunks.push(chunk as Buffer);
    length += (chunk as Buffer).length;
  }
  return Buffer.concat(chunks, length);
}

/**
 * Reads a file of text. A pipe or a device could keep the command waiting, or never end: they are refused.
 * @throws EngineError with the reason, also for more than `maxBytes` and for what is not UTF-8; a system error when the
 *   file cannot be opened.
 */
export async function readTextFile(file: string, maxBytes: number): Promise<string> {
  return readRegularFile(file, { maxBytes, flags: 0 });
}

/** More than the engine ever writes into a file of its own. */
const ownFileMaxBytes = 268_435_456;

/**
 * Reads a file that the engine wrote itself, in a place where others may write too: as `readTextFile`, but a symbolic link
 * in its place is not followed (ELOOP).
 */
export async function readOwnFile(file: string): Promise<string> {
  return readRegularFile(file, { maxBytes: ownFileMaxBytes, flags: constants.O_NOFOLLOW });
}

async function readRegularFile(
  file: string,
  { maxBytes, flags }: { readonly maxBytes: number; readonly flags: number },
): Promise<string> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK | flags);
  try {
    if (!(await handle.stat()).isFile()) throw new EngineError(`${file} is not a regular file`);
    const bytes = await readAtMost(handle, maxBytes);
    if (bytes.length > maxBytes) {
      throw new EngineError(`${file} has more than ${Math.round(maxBytes / 1_048_576)} MiB`);
    }
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (systemCode(error) === 'ERR_ENCODING_INVALID_ENCODED_DATA') {
      throw new EngineError(`${file} is not text in UTF-8`);
    }
    throw error;
  } finally {
    await handle.close();
  }
}
