/** Looks through a log from its beginning to its end, block by block, for a text; it goes on where it was when the log grows. */
import { plainText, lastWritten } from './ansi.ts';
import { countLineEnds } from './line-index.ts';

export interface Hit {
  /** Where its line begins; of a line that is very long, where the part of it begins in which it was found. */
  readonly offset: number;
  /** Counted from 1. */
  readonly line: number;
}

/** More lines than this are counted, but one cannot go to them. */
const mostHits = 20_000;
const lineFeed = 0x0a;

/** How texts are compared: upper and lower case are one. */
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

  /** How many lines have it, of what was looked at. */
  get count(): number {
    return this.#count;
  }

  /** Up to where it has looked. */
  get end(): number {
    return this.#end;
  }

  /** Whether all was looked at, and nothing more comes. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Nothing more comes: a last line without an end is one all the same. */
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
    // A line without an end in a whole block is looked at in parts.
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

/** Without sequences, lines as they are: a block that has nothing need not be cut. */
function plainBlock(text: string): string {
  return text.includes('\u001B') ? text.split('\n').map(plainText).join('\n') : text;
}

/** Where the text is in a line, from its beginning on. */
export function placesOf(line: string, text: string): readonly number[] {
  if (text === '') return [];
  const places: number[] = [];
  const [where, what] = [folded(line), folded(text)];
  for (let at = where.indexOf(what); at !== -1; at = where.indexOf(what, at + what.length)) places.push(at);
  return places;
}
