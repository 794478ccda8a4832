/** Reads a log in blocks and keeps the latest ones, because search, line counter and view often read the same blocks. */

/** Reads all bytes of a log from `start` to `end` (exclusive). */
export type ReadRange = (start: number, end: number, signal: AbortSignal) => Promise<Uint8Array>;

export const blockBytes = 256 * 1024;

export class BlockCache {
  readonly #read: ReadRange;
  readonly #limit: number;
  /** The least recently used block comes first. */
  readonly #blocks = new Map<number, Uint8Array>();

  /** Keeps up to `limit` blocks. */
  constructor(read: ReadRange, limit: number) {
    this.#read = read;
    this.#limit = limit;
  }

  get size(): number {
    return this.#blocks.size;
  }

  /** All bytes from `start` to `end`; missing blocks are read in one request. */
  async read(start: number, end: number, signal: AbortSignal): Promise<Uint8Array> {
    if (start >= end) return new Uint8Array();
    const first = Math.floor(start / blockBytes);
    const last = Math.floor((end - 1) / blockBytes);
    const known: Uint8Array[] = [];
    for (let block = first; block <= last; block += 1) {
      const bytes = this.#blocks.get(block);
      if (!bytes || bytes.length < Math.min(end - block * blockBytes, blockBytes)) break;
      this.#keep(block, bytes);
      known.push(bytes);
    }
    const from = (first + known.length) * blockBytes;
    const missing = from < end ? await this.#read(from, end, signal) : new Uint8Array();
    // A log only grows: a complete block never changes.
    for (let at = 0; at < missing.length; at += blockBytes)
      this.#keep((from + at) / blockBytes, missing.slice(at, at + blockBytes));
    const skipped = start - first * blockBytes;
    return concatenated([...known, missing]).subarray(skipped, skipped + end - start);
  }

  #keep(block: number, bytes: Uint8Array): void {
    this.#blocks.delete(block);
    this.#blocks.set(block, bytes);
    const [oldest] = this.#blocks.keys();
    if (this.#blocks.size > this.#limit && oldest !== undefined) this.#blocks.delete(oldest);
  }
}

function concatenated(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
