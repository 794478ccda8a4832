import { closeSync, constants, ftruncateSync, openSync, readSync } from 'node:fs';
import { fileSizeNow } from '../../lib/files/file-size.ts';
import { unfinishedBytes } from '../../lib/text/utf8.ts';

const longestCharacter = 4;

/** Where a log that is cut at `limit` bytes ends: before a character that the limit would cut. */
function wholeCharacters(descriptor: number, limit: number): number {
  const start = Math.max(0, limit - longestCharacter);
  const buffer = Buffer.alloc(limit - start);
  const bytesRead = readSync(descriptor, buffer, 0, buffer.length, start);
  return limit - unfinishedBytes(buffer.subarray(0, bytesRead));
}

/** Cuts a file that is longer; gives its size then. In one step, like `freeze`. @throws Error when the disk refuses. */
function cut(file: string, limit: number): number {
  const descriptor = openSync(file, constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const size = wholeCharacters(descriptor, limit);
    ftruncateSync(descriptor, size);
    return size;
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Where this service has ended the logs of jobs, and where they will end at the latest. Processes that outlive their job may
 * go on printing into its file, and so does a job that is over its limit until it is gone: what stands behind that size does
 * not belong to the job, and no reader gets it.
 */
export class FrozenLogs {
  readonly #sizes = new Map<string, number>();
  readonly #limits = new Map<string, number>();

  /** From now on readers get at most that many bytes of a job's log. */
  limit(id: string, bytes: number): void {
    this.#limits.set(id, bytes);
  }

  /** That number of bytes. */
  limitOf(id: string): number {
    return this.#limits.get(id) ?? Number.POSITIVE_INFINITY;
  }

  /**
   * Ends a job's log where its file ends now, or at its limit; gives the size in bytes, null when the file cannot be looked
   * at. It measures and notes in one step: a reader that measures a longer file does so afterwards, and then finds the note.
   */
  freeze(id: string, file: string): number | null {
    const size = fileSizeNow(file);
    if (size === null) return null;
    const frozen = this.#within(size, file, this.#limits.get(id) ?? size);
    this.#sizes.set(id, frozen);
    return frozen;
  }

  #within(size: number, file: string, limit: number): number {
    // At the limit, it may have been cut by bytes while the job ran.
    if (size < limit) return size;
    try {
      return cut(file, limit);
    } catch {
      // The bytes behind it stay on the disk; they are not shown either.
      return limit;
    }
  }

  /** Where the log ends, or will end at the latest, in bytes; undefined when nothing is known of that. */
  sizeOf(id: string): number | undefined {
    return this.#sizes.get(id) ?? this.#limits.get(id);
  }

  forget(id: string): void {
    this.#sizes.delete(id);
    this.#limits.delete(id);
  }
}
