/** The number of lines before each block of a log, for the blocks that were counted from its beginning. */
import { blockBytes } from './block-cache.ts';

const lineFeed = 0x0a;

export function countLineEnds(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(lineFeed); at !== -1; at = bytes.indexOf(lineFeed, at + 1)) count += 1;
  return count;
}

/** The offset after that many line ends; undefined when there are fewer. */
export function afterLineEnds(bytes: Uint8Array, count: number): number | undefined {
  let at = 0;
  for (let left = count; left > 0; left -= 1) {
    const end = bytes.indexOf(lineFeed, at);
    if (end === -1) return undefined;
    at = end + 1;
  }
  return at;
}

/** The range with at most `most` lines before and after `at`. Short lines would fill the memory with rows. */
export function linesAround(bytes: Uint8Array, at: number, most: number): { from: number; to: number } {
  const below = afterLineEnds(bytes.subarray(at), most);
  let from = at;
  for (let left = most; left >= 0 && from > 0; left -= 1) {
    const end = bytes.lastIndexOf(lineFeed, from - 2);
    if (from === 1 || end === -1) from = 0;
    else if (left > 0) from = end + 1;
  }
  return { from, to: below === undefined ? bytes.length : at + below };
}

export class LineIndex {
  /** The line ends before each counted block, and before the first block that was not counted. */
  readonly #before: number[] = [0];

  /** The number of counted bytes. */
  get countedBytes(): number {
    return (this.#before.length - 1) * blockBytes;
  }

  /** The number of line ends in the counted bytes. */
  get lineEnds(): number {
    return this.#before.at(-1) ?? 0;
  }

  /** Counts complete blocks from `offset` on; blocks that were counted already, or that follow a gap, change nothing. */
  add(offset: number, bytes: Uint8Array): void {
    for (let at = 0; at + blockBytes <= bytes.length; at += blockBytes) {
      if (offset + at === this.countedBytes)
        this.#before.push(this.lineEnds + countLineEnds(bytes.subarray(at, at + blockBytes)));
    }
  }

  /** The line ends before the block of this byte; undefined when it was not counted. */
  before(offset: number): { readonly blockStart: number; readonly lineEnds: number } | undefined {
    const block = Math.floor(offset / blockBytes);
    const lineEnds = this.#before[block];
    return lineEnds === undefined ? undefined : { blockStart: block * blockBytes, lineEnds };
  }

  /** The block in which a line begins (lines count from 1), and the number of line ends before it. */
  blockOfLine(number: number): { readonly blockStart: number; readonly lineEnds: number } {
    let [low, high] = [0, this.#before.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#before[middle] ?? 0) < number - 1) low = middle;
      else high = middle - 1;
    }
    return { blockStart: low * blockBytes, lineEnds: this.#before[low] ?? 0 };
  }
}
