/** Reads a job's log, which may be growing. Offsets are bytes; no character is ever cut; what was read never changes. */
import { constants, fstatSync, ftruncateSync } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { AppError } from '../../lib/app-error.ts';
import { openPlainFile } from '../../lib/files/plain-file.ts';
import { unfinishedBytes } from '../../lib/text/utf8.ts';
import { isTerminal, type Job } from '../model/job.ts';
import type { LogChunk, LogExtent } from '../model/job-log.ts';
import { StringDecoder } from 'node:string_decoder';
import { stripVTControlCharacters } from 'node:util';

const chunkBytes = 64 * 1024;
const longestCharacter = 4;

async function openLog(file: string): Promise<FileHandle> {
  const opened = await openPlainFile(file);
  switch (opened.kind) {
    case 'found':
      return opened.handle;
    case 'absent':
      throw new AppError('log-not-found', 'the log of this job is gone', { cause: opened.error });
    case 'unreadable':
      throw new AppError('storage-fault', 'the log cannot be read at the moment', { cause: opened.error });
  }
}

async function withFile<T>(file: string, use: (handle: FileHandle) => Promise<T>): Promise<T> {
  const handle = await openLog(file);
  try {
    return await use(handle);
  } finally {
    await handle.close();
  }
}

async function readAt(handle: FileHandle, start: number, end: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(Math.max(0, end - start));
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, start);
  return buffer.subarray(0, bytesRead);
}

/**
 * How much of the log there is to read. While the job runs, a character whose rest is still to come is held back;
 * `frozenSize` tells where the log ends, once that is known.
 */
export async function logExtent(
  job: Job,
  file: string,
  frozenSize: () => number | undefined = () => undefined,
): Promise<LogExtent> {
  return withFile(file, async (handle) => {
    const { size } = await handle.stat();
    if (isTerminal(job.state)) return { size, end: Math.min(job.logSize ?? size, size), complete: true };
    // Asked for after the size was measured: what a stray printed behind the end is never shown.
    const limit = Math.min(size, frozenSize() ?? size);
    const lastBytes = await readAt(handle, Math.max(0, limit - longestCharacter), limit);
    return { size, end: limit - unfinishedBytes(lastBytes), complete: false };
  });
}

/**
 * The next chunk of a log that can be read up to `end`; empty when the file is shorter than that. Chunks end at multiples
 * of 64 KiB, so readers that began anywhere come to the same offsets.
 * @throws AppError `log-not-found`, `storage-fault`.
 */
export async function readChunk(file: string, offset: number, end: number): Promise<LogChunk> {
  // A character that reaches over the boundary belongs to the next chunk: that begins up to three bytes before the boundary.
  const boundary = (Math.floor((offset + longestCharacter) / chunkBytes) + 1) * chunkBytes;
  const bytes = await withFile(file, async (handle) => readAt(handle, offset, Math.min(boundary, end)));
  const kept = bytes.length - (boundary < end ? unfinishedBytes(bytes) : 0);
  return { bytes: bytes.subarray(0, kept), nextOffset: offset + kept };
}

/**
 * The bytes from `start` up to (not including) `end`, with flat memory.
 * @throws AppError `log-not-found`, `storage-fault`.
 */
export async function logStream(file: string, start: number, end: number): Promise<Readable> {
  if (start >= end) return Readable.from([]);
  return (await openLog(file)).createReadStream({ start, end: end - 1, highWaterMark: chunkBytes });
}

/** Where the last `lines` lines before `end` begin. A newline at the very end ends the last line, it starts no new one. */
export async function tailOffset(file: string, end: number, lines: number): Promise<number> {
  if (lines === 0) return end;
  return withFile(file, async (handle) => {
    let missing = lines + 1;
    for (let chunkEnd = end; chunkEnd > 0; chunkEnd -= chunkBytes) {
      const chunkStart = Math.max(0, chunkEnd - chunkBytes);
      const chunk = await readAt(handle, chunkStart, chunkEnd);
      if (chunkEnd === end && chunk.at(-1) !== 0x0a) missing -= 1;
      for (let at = chunk.lastIndexOf(0x0a); at >= 0; at = at === 0 ? -1 : chunk.lastIndexOf(0x0a, at - 1)) {
        missing -= 1;
        if (missing === 0) return chunkStart + at + 1;
      }
    }
    return 0;
  });
}

/** The end of the log as text, for error sentences and progress; empty when there is none. */
export async function readLogEnd(file: string, maxBytes: number): Promise<string> {
  try {
    return await withFile(file, async (handle) => {
      const { size } = await handle.stat();
      return (await readAt(handle, Math.max(0, size - maxBytes), size)).toString('utf8');
    });
  } catch {
    return '';
  }
}

/**
 * Frees the disk space behind the first `bytes` of a log, which no reader gets. A writer goes on at the new end: the
 * descriptor is O_APPEND. A log that is shorter stays as it is: it may have been cut before a character, and ended there, since
 * its size was read. @throws Error when the disk refuses.
 */
export async function cutLog(file: string, bytes: number): Promise<void> {
  const handle = await open(file, constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    // In one step, so that no other code of this process cuts in between. Truncation of a shorter file would fill it up with NUL bytes.
    if (fstatSync(handle.fd).size > bytes) ftruncateSync(handle.fd, bytes);
  } finally {
    await handle.close();
  }
}

/** Size in bytes; 0 when there is no log. */
export async function logSize(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}

/** Longer than any line that means something; a program that prints no line end must not fill memory. */
const maxLineLength = 16 * 1024;

/** The characters that `asSeen` looks for: ESC, its one-character form CSI, and CR. */
// eslint-disable-next-line no-control-regex
const terminalCharacter = /[\u001b\u009b\r]/;

/** The line without colours, and only the last state of a progress line that was overwritten. */
function asSeen(line: string): string {
  return stripVTControlCharacters(line).replace(/\r+$/, '').split('\r').at(-1) ?? '';
}

/**
 * Gives `take` the lines of the first `size` bytes of a log, with flat memory: of a line over 16 Ki characters, the beginning.
 * @throws AppError `log-not-found`, `storage-fault`; Error when the disk refuses.
 */
export async function readLines(file: string, size: number, take: (line: string) => void): Promise<void> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  const lines = (text: string): void => {
    const piece = `${rest}${text}`;
    // To look for them in each of a million short lines would take most of the time.
    const isPlain = !terminalCharacter.test(piece);
    const parts = piece.split('\n');
    rest = (parts.pop() ?? '').slice(0, maxLineLength);
    for (const part of parts) {
      const line = part.slice(0, maxLineLength);
      take(isPlain ? line : asSeen(line));
    }
  };
  for await (const chunk of await logStream(file, 0, size)) lines(decoder.write(chunk as Buffer));
  lines(decoder.end());
  if (rest !== '') take(asSeen(rest));
}
