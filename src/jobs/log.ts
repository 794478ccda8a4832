/** Reads a job's log while it grows. Offsets are bytes; no character is ever cut; what was read never changes. */
import { createReadStream } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { AppError, systemCode } from '../lib/app-error.ts';
import { every } from '../lib/disposal.ts';
import { unfinishedBytes } from '../lib/utf8.ts';
import { isTerminal, type Job } from './job.ts';

export interface LogExtent {
  /** Bytes in the file, with those held back. */
  readonly size: number;
  /** Bytes that may be read now. */
  readonly end: number;
  /** Whether the log has its final length. */
  readonly complete: boolean;
}

const chunkBytes = 64 * 1024;
const growthPollMs = 100;

async function withFile<T>(file: string, use: (handle: FileHandle) => Promise<T>): Promise<T> {
  const handle = await open(file, 'r').catch((error: unknown) => {
    const code = systemCode(error) === 'ENOENT' ? 'log-not-found' : 'storage-fault';
    throw new AppError(
      code,
      code === 'log-not-found' ? 'the log of this job is gone' : 'the log cannot be read at the moment',
      {
        cause: error,
      },
    );
  });
  try {
    return await use(handle);
  } finally {
    await handle.close();
  }
}

async function readAt(handle: FileHandle, start: number, end: number): Promise<Buffer> {
  const buffer = Buffer.alloc(Math.max(0, end - start));
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
    const lastBytes = await readAt(handle, Math.max(0, limit - 4), limit);
    return { size, end: limit - unfinishedBytes(lastBytes), complete: false };
  });
}

/** The bytes from `start` up to (not including) `end`, with flat memory. */
export function logStream(file: string, start: number, end: number): Readable {
  if (start >= end) return Readable.from([]);
  return createReadStream(file, { start, end: end - 1, highWaterMark: chunkBytes });
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

/** Size in bytes; 0 when there is no log. */
export async function logSize(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}

interface Watch {
  readonly stop: () => void;
  readonly wakers: Set<() => void>;
  size: number;
}

/** Wakes the followers of growing logs. One look at a log serves all who follow it. */
export class LogGrowth {
  readonly #watches = new Map<string, Watch>();

  /** Resolves when the file is no longer `seenSize` bytes long, or when `signal` is aborted. */
  async wait(file: string, seenSize: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const watch = this.#watches.get(file) ?? this.#watch(file, seenSize);
    if (seenSize < watch.size) return;
    // The caller looked later than we did: the others have something to read too. Without this, it would spin until
    // our next look.
    const outdated = seenSize > watch.size ? [...watch.wakers] : [];
    watch.size = seenSize;
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        signal.removeEventListener('abort', wake);
        watch.wakers.delete(wake);
        if (watch.wakers.size === 0 && this.#watches.get(file) === watch) this.#unwatch(file, watch);
        resolve();
      };
      watch.wakers.add(wake);
      signal.addEventListener('abort', wake, { once: true });
      for (const other of outdated) other();
    });
  }

  #watch(file: string, size: number): Watch {
    const watch: Watch = { wakers: new Set(), size, stop: every(growthPollMs, () => void this.#look(file)) };
    this.#watches.set(file, watch);
    return watch;
  }

  async #look(file: string): Promise<void> {
    const size = await logSize(file);
    const watch = this.#watches.get(file);
    if (!watch || watch.size === size) return;
    watch.size = size;
    for (const wake of watch.wakers) wake();
  }

  #unwatch(file: string, watch: Watch): void {
    watch.stop();
    this.#watches.delete(file);
  }
}
