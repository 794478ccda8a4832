/**
 * Reads files that another program may have replaced by something else. A symbolic link is refused, because it may lead
 * anywhere. A pipe is refused too, and never waited for: open(2) would block until a writer comes, and take one of
 * the few threads with it that Node has for files.
 */
import {
  close,
  closeSync,
  constants,
  fstatSync,
  open,
  openSync,
  read,
  readFileSync,
  type Stats,
} from 'node:fs';
import { open as openHandle, type FileHandle } from 'node:fs/promises';
import { promisify } from 'node:util';
import { systemCode } from '../app-error.ts';

/** Why a file was not read: there is none of that name, or there is something and it could not be read (now). */
interface NotRead {
  readonly kind: 'absent' | 'unreadable';
  readonly error: unknown;
}

export type PlainBytes = { readonly kind: 'found'; readonly bytes: Buffer } | NotRead;
export type PlainText = { readonly kind: 'found'; readonly text: string } | NotRead;

/** The caller closes the handle. */
export type PlainHandle = { readonly kind: 'found'; readonly handle: FileHandle } | NotRead;

/** The `error` of what is unreadable because it is no regular file, but a pipe, a directory, a device. A link is ELOOP. */
export class NotPlainFile extends Error {
  override readonly name = 'NotPlainFile';
}

/** The `error` of what is longer than it may be. */
export class TooLongFile extends NotPlainFile {}

interface ReadOptions {
  /** More than this is unreadable. */
  readonly maxBytes: number;
  /** For what a person names: a link may stand there by intention. */
  readonly followsLinks: boolean;
}

/** Longer than anything that the service writes; whatever is not ours may be of any length. */
const own: ReadOptions = { maxBytes: 16 * 1024 * 1024, followsLinks: false };

const openFlags = constants.O_RDONLY | constants.O_NONBLOCK;

/** More than most files have that are read whole. The rest of a long one is read in larger pieces. */
const [chunkBytes, largeChunkBytes] = [16 * 1024, 1024 * 1024];

// Records are read by the hundred thousand: these calls take a third less time than those of node:fs/promises.
const [openFile, readChunk, closeFile] = [promisify(open), promisify(read), promisify(close)];

function assertPlain(stats: Stats, file: string, maxBytes = Infinity): void {
  if (!stats.isFile()) throw new NotPlainFile(`${file} is not a plain file`);
  if (stats.size > maxBytes) throw new TooLongFile(`${file} is longer than ${maxBytes} bytes`);
}

/** The errors of read(2) and pread(2) for a directory, and of pread(2) for a pipe. */
const notPlainCodes = new Set(['EISDIR', 'ESPIPE']);

function notRead(error: unknown, file: string): NotRead {
  const code = systemCode(error) ?? '';
  if (notPlainCodes.has(code))
    return { kind: 'unreadable', error: new NotPlainFile(`${file} is not a plain file`, { cause: error }) };
  return { kind: code === 'ENOENT' ? 'absent' : 'unreadable', error };
}

async function readToEnd(descriptor: number, file: string, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for (let [position, length] = [0, chunkBytes]; ; position += length, length = largeChunkBytes) {
    // With a position it is pread(2), which pipes refuse: this costs less than to ask first what the file is.
    const chunk = Buffer.allocUnsafe(length);
    const { bytesRead } = await readChunk(descriptor, chunk, 0, length, position);
    // Devices do not refuse it. Most of them give nothing, or as much as is asked for.
    const mayBeDevice = position === 0 && (bytesRead === 0 || bytesRead === length);
    if (mayBeDevice) assertPlain(fstatSync(descriptor), file, maxBytes);
    if (position + bytesRead > maxBytes) throw new TooLongFile(`${file} is longer than ${maxBytes} bytes`);
    chunks.push(chunk.subarray(0, bytesRead));
    if (bytesRead < length) return Buffer.concat(chunks);
  }
}

/** The whole file. Never rejects. */
export async function readPlainBytes(
  file: string,
  { maxBytes, followsLinks }: ReadOptions,
): Promise<PlainBytes> {
  try {
    const descriptor = await openFile(file, followsLinks ? openFlags : openFlags | constants.O_NOFOLLOW);
    try {
      return { kind: 'found', bytes: await readToEnd(descriptor, file, maxBytes) };
    } finally {
      await closeFile(descriptor);
    }
  } catch (error) {
    return notRead(error, file);
  }
}

/** The whole of a file of our own as UTF-8 text. Never rejects. */
export async function readPlainFile(file: string, maxBytes = own.maxBytes): Promise<PlainText> {
  const reading = await readPlainBytes(file, { ...own, maxBytes });
  return reading.kind === 'found' ? { kind: 'found', text: reading.bytes.toString('utf8') } : reading;
}

/** The same at once, for what must not be interrupted. @throws Error of open(2), NotPlainFile. */
export function readPlainBytesSync(file: string, maxBytes: number): Buffer {
  const descriptor = openSync(file, openFlags | constants.O_NOFOLLOW);
  try {
    assertPlain(fstatSync(descriptor), file, maxBytes);
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Opens the file for reading. Never rejects. */
export async function openPlainFile(file: string): Promise<PlainHandle> {
  let handle: FileHandle | undefined;
  try {
    handle = await openHandle(file, openFlags | constants.O_NOFOLLOW);
    assertPlain(await handle.stat(), file);
    return { kind: 'found', handle };
  } catch (error) {
    await handle?.close().catch(() => undefined);
    return notRead(error, file);
  }
}
