/**
 * The lines of a file from its end to its beginning, read in blocks: a file of gigabytes takes as little memory as a small one,
 * and other work goes on between two blocks.
 */
import type { FileHandle } from 'node:fs/promises';

const blockBytes = 64 * 1024;
const lineFeed = 0x0a;

/** The error when the file has become shorter than it was at the beginning. */
export class ShorterFile extends Error {
  override readonly name = 'ShorterFile';
}

export interface Line {
  readonly bytes: Buffer;
  /** Where it begins, in bytes of the file. */
  readonly start: number;
}

interface Block {
  /** The last one of the file first; empty ones and too long ones are left out. */
  readonly lines: readonly Line[];
  /** The reading has got to this offset, in bytes. */
  readonly reached: number;
  /** How many lines have begun, also those that are left out. */
  readonly count: number;
}

/** The bytes from an offset to another. @throws ShorterFile, or Error of read(2). */
export async function readBetween(handle: FileHandle, from: number, to: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(to - from);
  for (let filled = 0; filled < bytes.length;) {
    const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, from + filled);
    if (bytesRead === 0) throw new ShorterFile('the file has become shorter');
    filled += bytesRead;
  }
  return bytes;
}

/** Most lines are in one piece, and need no copy. */
function joined(pieces: readonly Buffer[]): Buffer {
  const [only] = pieces;
  return only !== undefined && pieces.length === 1 ? only : Buffer.concat(pieces);
}

/** The end of a line whose beginning has not been read yet. */
class Rest {
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get isTooLong(): boolean {
    return this.#bytes > this.#maxBytes;
  }

  /** Adds what stands before it. Of a line that is too long, nothing is kept. */
  putBefore(piece: Buffer): void {
    this.#bytes += piece.length;
    this.#pieces = this.isTooLong ? [] : [piece, ...this.#pieces];
  }

  /** The whole line, now that its beginning is known; none if it is empty or too long. */
  take(start: number): Line[] {
    const isUsable = this.#bytes > 0 && !this.isTooLong;
    const line = isUsable ? [{ bytes: joined(this.#pieces), start }] : [];
    this.#pieces = [];
    this.#bytes = 0;
    return line;
  }
}

interface Options {
  /** The offset before which the lines are wanted, in bytes. */
  readonly end: number;
  /** Longer lines are left out. */
  readonly maxLineBytes: number;
}

/** @throws ShorterFile, or Error of read(2). */
export async function* linesBackwards(
  handle: FileHandle,
  { end, maxLineBytes }: Options,
): AsyncGenerator<Block, void, void> {
  const rest = new Rest(maxLineBytes);
  let reached = end;
  for (let to = end; to > 0;) {
    const from = Math.max(0, to - blockBytes);
    const bytes = await readBetween(handle, from, to);
    const lines: Line[] = [];
    let [lineEnd, count] = [bytes.length, 0];
    while (lineEnd > 0) {
      const at = bytes.lastIndexOf(lineFeed, lineEnd - 1);
      rest.putBefore(bytes.subarray(at + 1, lineEnd));
      lineEnd = at;
      if (at === -1) break;
      reached = from + at + 1;
      count += 1;
      lines.push(...rest.take(reached));
    }
    // A line that is too long may be as long as the file: who goes on from here must not begin it again.
    if (rest.isTooLong) reached = from;
    if (from === 0) {
      lines.push(...rest.take(0));
      reached = 0;
    }
    yield { lines, reached, count };
    to = from;
  }
}
