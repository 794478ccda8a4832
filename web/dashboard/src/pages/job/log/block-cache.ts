/** Reads a log in blocks, and keeps those that were read last: what is searched, counted and looked at is often the same. */

/** Bytes of a log from `start` up to `end` (not included): all of them. */
export type ReadRange = (start: number, end: number, signal: AbortSignal) => Promise<Uint8Array>;

export const blockBytes = 256 * 1024;

export class BlockCache {
  readonly #read: ReadRange;
  readonly #limit: number;
  /** The one that was used last is at the end. */
  readonly #blocks = new Map<number, Uint8Array>();

  /** Keeps so many blocks. */
  constructor(read: ReadRange, limit: number) {
    this.#read = read;
    this.#limit = limit;
  }

  get size(): number {
    return this.#blocks.size;
  }

  /** All bytes from `start` up to `end`; what is not known is asked for at once. */
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
    // A log only grows: a block that was whole once stays as it is.
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
