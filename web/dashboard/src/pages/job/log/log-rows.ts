/**
 * The part of a log that is in memory: contiguous bytes, cut into rows. It grows at both ends, and is trimmed at the other end. Rows
 * are decoded when they are drawn, so that megabytes are cut in milliseconds.
 */
import { coloursAfter } from './ansi.ts';
import { levelOf, mayBeHeading, type Level } from './groups.ts';

/** A longer line is split into several rows, in bytes. */
export const longestRowBytes = 8 * 1024;

/** The nearest position at or before `at` that does not split a UTF-8 character. */
function characterStart(bytes: Uint8Array, at: number): number {
  for (let back = 0; back < 4 && at - back > 0; back += 1) {
    // Continuation bytes begin with the bits 10.
    if (((bytes[at - back] ?? 0) & 0xc0) !== 0x80) return at - back;
  }
  return at;
}

/** A line of the log, or a part of a very long line. */
export interface LogRow {
  /** The position of its first byte in the log. */
  readonly offset: number;
  /** The index of its line, relative to the line with ordinal 0; may be negative. */
  readonly ordinal: number;
  /** Whether it continues the line of the previous row. */
  readonly isRest: boolean;
  readonly level: Level;
  /** The colours at its beginning (ansi.ts). */
  readonly colours: string;
  readonly buffer: Uint8Array;
  readonly from: number;
  readonly to: number;
}

export interface RowLimits {
  readonly bytes: number;
  readonly rows: number;
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const escapeByte = 0x1b;
// A byte order mark is kept as text, because the offsets count it.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** The text of the row with its escape sequences. Invalid UTF-8 becomes U+FFFD. */
export function textOf({ buffer, from, to }: LogRow): string {
  return decoder.decode(buffer.subarray(from, to));
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  if (first.length === 0) return second;
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

interface CutFrom {
  readonly offset: number;
  readonly ordinal: number;
  readonly colours: string;
  readonly isRest: boolean;
}

/** The end of the row that begins at `from`, and the beginning of the next row; undefined when the line may continue. */
function rowEnd(bytes: Uint8Array, from: number): { to: number; next: number } | undefined {
  const end = bytes.indexOf(lineFeed, from);
  const length = (end === -1 ? bytes.length : end) - from;
  if (length > longestRowBytes) {
    const to = characterStart(bytes, from + longestRowBytes);
    return { to, next: to };
  }
  return end === -1 ? undefined : { to: end, next: end + 1 };
}

function rowAt(buffer: Uint8Array, from: number, to: number, start: CutFrom): LogRow {
  const shown = to > from && buffer[to - 1] === carriageReturn ? to - 1 : to;
  const base = { ...start, buffer, from, to: shown, level: 0 as Level };
  if (start.isRest || !mayBeHeading(buffer[from])) return base;
  return { ...base, level: levelOf(textOf(base)) };
}

interface Cut {
  readonly rows: LogRow[];
  /** The beginning of the unfinished line. */
  readonly rest: number;
  readonly next: CutFrom;
}

function cutRows(buffer: Uint8Array, start: CutFrom): Cut {
  const rows: LogRow[] = [];
  const hasColours = buffer.includes(escapeByte);
  let at = 0;
  let { ordinal, colours, isRest } = start;
  for (let end = rowEnd(buffer, at); end; end = rowEnd(buffer, at)) {
    const row = rowAt(buffer, at, end.to, { offset: start.offset + at, ordinal, colours, isRest });
    rows.push(row);
    if (hasColours) colours = coloursAfter(textOf(row), colours);
    isRest = end.next === end.to;
    if (!isRest) ordinal += 1;
    at = end.next;
  }
  return { rows, rest: at, next: { offset: start.offset + at, ordinal, colours, isRest } };
}

/**
 * The beginning of the first row in bytes from the middle of a log: the first line, or a part of a line that is longer than the
 * bytes.
 */
export function lineStart(bytes: Uint8Array): { readonly skipped: number; readonly isRest: boolean } {
  const end = bytes.indexOf(lineFeed);
  if (end !== -1 && end < bytes.length - 1) return { skipped: end + 1, isRest: false };
  let skipped = 0;
  while (skipped < 3 && ((bytes[skipped] ?? 0) & 0xc0) === 0x80) skipped += 1;
  return { skipped, isRest: true };
}

export class LogRows {
  #rows: LogRow[] = [];
  /** The unfinished line: it is shown, and cut again when more bytes arrive. */
  #carry: Uint8Array = new Uint8Array();
  #next: CutFrom;
  readonly #limits: RowLimits;
  /** The number of the line with ordinal 0; undefined until the lines before it are counted. */
  firstNumber: number | undefined;

  /** Begins empty, at the beginning of a line, or within a line for `isRest`. */
  constructor(offset: number, limits: RowLimits, isRest = false) {
    this.#next = { offset, ordinal: 0, colours: '', isRest };
    this.#limits = limits;
    this.firstNumber = offset === 0 ? 1 : undefined;
  }

  /** Includes the unfinished line. */
  get rows(): readonly LogRow[] {
    return this.#rows;
  }

  get start(): number {
    return this.#rows[0]?.offset ?? this.#next.offset;
  }

  /** The offset of the next byte. */
  get end(): number {
    return this.#next.offset + this.#carry.length;
  }

  /** Whether it is nearly full: more bytes may push out the other end. */
  get isFull(): boolean {
    const { rows, bytes } = this.#limits;
    return this.#rows.length > rows * 0.75 || this.end - this.start > bytes * 0.75;
  }

  #isOver(rows: number, start: number, end: number): boolean {
    return rows > this.#limits.rows || end - start > this.#limits.bytes;
  }

  numberOf({ ordinal }: LogRow): number | undefined {
    return this.firstNumber === undefined ? undefined : this.firstNumber + ordinal;
  }

  /** Adds the next bytes of the log. */
  append(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    if (this.#carry.length > 0) this.#rows.pop();
    const buffer = joined(this.#carry, bytes);
    const { rows, rest, next } = cutRows(buffer, this.#next);
    for (const row of rows) this.#rows.push(row);
    this.#next = next;
    this.#carry = buffer.slice(rest);
    if (this.#carry.length > 0) this.#rows.push(rowAt(this.#carry, 0, this.#carry.length, next));
  }

  /** Adds the bytes before the first row. Their first line may be incomplete, unless they begin the log. */
  prepend(bytes: Uint8Array): void {
    const offset = this.start - bytes.length;
    const first = this.#rows[0];
    const { skipped, isRest } = offset === 0 ? { skipped: 0, isRest: false } : lineStart(bytes);
    const buffer = bytes.subarray(skipped);
    const cut = cutRows(buffer, { offset: offset + skipped, ordinal: 0, colours: '', isRest });
    const { rows } = cut;
    if (cut.rest < buffer.length) rows.push(rowAt(buffer, cut.rest, buffer.length, cut.next));
    const endsLine = buffer.at(-1) === lineFeed;
    const shift = (first?.ordinal ?? this.#next.ordinal) - cut.next.ordinal;
    const moved = rows.map((row) => ({ ...row, ordinal: row.ordinal + shift }));
    const colours =
      endsLine || rows.length === 0 ? cut.next.colours : coloursAfter(textOf(lastOf(rows)), cut.next.colours);
    this.#recolour(colours);
    this.#rows = [...moved, ...this.#rows];
    if (offset === 0) this.firstNumber = 1 - (moved[0]?.ordinal ?? 0);
  }

  /** Sets the colours of the rows after the beginning is known. */
  #recolour(colours: string): void {
    let current = colours;
    for (const [index, row] of this.#rows.entries()) {
      if (row.colours === current) return;
      this.#rows[index] = { ...row, colours: current };
      // The unfinished line is cut again, from its beginning.
      if (row.offset === this.#next.offset) break;
      current = coloursAfter(textOf(row), current);
    }
    this.#next = { ...this.#next, colours: current };
  }

  /** Removes rows at the top until the limits hold. Returns their number. */
  trimTop(): number {
    let count = 0;
    while (
      count < this.#rows.length - 1 &&
      this.#isOver(this.#rows.length - count, this.#offsetOf(count), this.end)
    )
      count += 1;
    if (count > 0) this.#rows = this.#rows.slice(count);
    return count;
  }

  /** Removes rows at the bottom until the limits hold. Returns their number. */
  trimBottom(): number {
    let keep = this.#rows.length;
    while (keep > 1 && this.#isOver(keep, this.start, this.#offsetOf(keep))) keep -= 1;
    const first = this.#rows[keep];
    if (!first) return 0;
    const { offset, ordinal, colours, isRest } = first;
    this.#next = { offset, ordinal, colours, isRest };
    this.#carry = new Uint8Array();
    return this.#rows.splice(keep).length;
  }

  #offsetOf(index: number): number {
    return this.#rows[index]?.offset ?? this.end;
  }

  /** The index of the row with this byte; the nearest row when there is none. */
  indexOfOffset(offset: number): number {
    let [low, high] = [0, this.#rows.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.#offsetOf(middle) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The index of the first row of the line with this number; -1 when the row is not in memory or the number is unknown. */
  indexOfNumber(number: number): number {
    if (this.firstNumber === undefined) return -1;
    const ordinal = number - this.firstNumber;
    let [low, high] = [0, this.#rows.length];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if ((this.#rows[middle]?.ordinal ?? 0) < ordinal) low = middle + 1;
      else high = middle;
    }
    return this.#rows[low]?.ordinal === ordinal ? low : -1;
  }
}

function lastOf(rows: readonly LogRow[]): LogRow {
  const last = rows.at(-1);
  if (!last) throw new Error('there is no row');
  return last;
}
