/** Searches a log from its beginning, block by block; it continues when the log grows. */
import { plainText, lastWritten } from './ansi.ts';
import { countLineEnds } from './line-index.ts';

export interface Hit {
  /** The offset of the line; for a very long line, of the part with the match. */
  readonly offset: number;
  /** Counted from 1. */
  readonly line: number;
}

/** Further matching lines are counted, but the user cannot go to them. */
const mostHits = 20_000;
const lineFeed = 0x0a;

/** Ignores case. */
const folded = (text: string): string => text.toLowerCase();

export class LogSearch {
  readonly #text: string;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  readonly #hits: Hit[] = [];
  #carry: Uint8Array = new Uint8Array();
  #line = 1;
  #end = 0;
  #count = 0;
  #isOver = false;

  constructor(text: string) {
    this.#text = folded(text);
  }

  get hits(): readonly Hit[] {
    return this.#hits;
  }

  /** The number of matching lines so far. */
  get count(): number {
    return this.#count;
  }

  /** The number of searched bytes. */
  get end(): number {
    return this.#end;
  }

  /** Whether the whole log was searched, and is complete. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** The log is complete: searches a last line without a line end. */
  finish(): void {
    if (!this.#isOver) this.#add(new Uint8Array(), true);
    this.#isOver = true;
  }

  /** The next bytes of the log. */
  add(bytes: Uint8Array): void {
    this.#add(bytes, false);
  }

  #add(bytes: Uint8Array, isLast: boolean): void {
    const buffer = new Uint8Array(this.#carry.length + bytes.length);
    buffer.set(this.#carry);
    buffer.set(bytes, this.#carry.length);
    const offset = this.#end - this.#carry.length;
    this.#end += bytes.length;
    const lastEnd = buffer.lastIndexOf(lineFeed);
    // A line without an end in a whole block is searched in parts.
    const until = isLast || lastEnd === -1 ? buffer.length : lastEnd + 1;
    const whole = buffer.subarray(0, until);
    this.#carry = buffer.slice(until);
    if (folded(plainBlock(this.#decoder.decode(whole))).includes(this.#text)) this.#addLines(whole, offset);
    else this.#line += countLineEnds(whole);
  }

  #addLines(bytes: Uint8Array, offset: number): void {
    for (let at = 0; at < bytes.length;) {
      const end = bytes.indexOf(lineFeed, at);
      const to = end === -1 ? bytes.length : end;
      const line = lastWritten(this.#decoder.decode(bytes.subarray(at, to)).replace(/\r$/, ''));
      if (folded(plainText(line)).includes(this.#text)) {
        this.#count += 1;
        if (this.#hits.length < mostHits) this.#hits.push({ offset: offset + at, line: this.#line });
      }
      if (end !== -1) this.#line += 1;
      at = to + 1;
    }
  }
}

/** Lines without escape sequences stay as they are: a block without a match need not be cut. */
function plainBlock(text: string): string {
  return text.includes('\u001B') ? text.split('\n').map(plainText).join('\n') : text;
}

/** The positions of the text in a line. */
export function placesOf(line: string, text: string): readonly number[] {
  if (text === '') return [];
  const places: number[] = [];
  const [where, what] = [folded(line), folded(text)];
  for (let at = where.indexOf(what); at !== -1; at = where.indexOf(what, at + what.length)) places.push(at);
  return places;
}
