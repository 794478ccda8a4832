/**
 * Takes the escape sequences of terminals (ECMA-48: colours, titles, moves of the cursor) out of text that comes in pieces.
 * A piece may end within a sequence, and the next one goes on with it: what the pieces give is what the whole would.
 */
type State = 'text' | 'c2' | 'escape' | 'parameters' | 'string' | 'end of string';

const [bel, lineFeed, esc, c2] = [0x07, 0x0a, 0x1b, 0xc2];
/** DCS, SOS, OSC, PM and APC, as the byte after ESC: they have a text of their own, to a BEL or an ESC \. */
const strings: ReadonlySet<number> = new Set([0x50, 0x58, 0x5d, 0x5e, 0x5f]);

const isBetween = (byte: number, first: number, last: number): boolean => byte >= first && byte <= last;

/** Where a byte after ESC leads: to more of the sequence, or to its end. */
function afterEscape(byte: number): State {
  if (byte === 0x5b) return 'parameters';
  if (strings.has(byte)) return 'string';
  return isBetween(byte, 0x20, 0x2f) ? 'escape' : 'text';
}

export class EscapeStripper {
  #state: State = 'text';
  #heldBytes = 0;

  /** How many of the bytes so far belong to a sequence whose end has not come yet. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** The piece without sequences. A sequence that never ends hides the rest of its line and no more. */
  strip(piece: Buffer): Buffer {
    const isText = this.#state === 'text' && !piece.includes(esc) && !piece.includes(c2);
    if (isText) return piece;
    const kept: number[] = [];
    for (const byte of piece) {
      const wasC2 = this.#state === 'c2';
      const isSequence = this.#takes(byte);
      if (wasC2 && (!isSequence || byte === esc)) kept.push(c2);
      if (!isSequence) kept.push(byte);
      this.#heldBytes = this.#state === 'text' ? 0 : this.#heldBytes + 1;
    }
    return Buffer.from(kept);
  }

  /** Whether the byte is a part of a sequence, or may become one. */
  #takes(byte: number): boolean {
    if (byte === esc && this.#state !== 'string') return this.#begin('escape');
    switch (this.#state) {
      case 'text':
        return byte === c2 && this.#begin('c2');
      case 'c2':
        // U+0080 to U+009F are ESC and a byte in one character; those that end at once are no sequences of terminals.
        return this.#go(isBetween(byte, 0x80, 0x9f) ? afterEscape(byte - 0x40) : 'text', false);
      case 'escape':
        return this.#go(afterEscape(byte), isBetween(byte, 0x20, 0x7e));
      case 'parameters':
        if (isBetween(byte, 0x20, 0x3f)) return true;
        return this.#go('text', isBetween(byte, 0x40, 0x7e));
      case 'string':
        if (byte === esc) return this.#go('end of string', true);
        return byte === bel || byte === lineFeed ? this.#go('text', byte === bel) : true;
      case 'end of string':
        return this.#go(byte === 0x5c ? 'text' : afterEscape(byte), isBetween(byte, 0x20, 0x7e));
    }
  }

  #begin(state: 'escape' | 'c2'): true {
    this.#heldBytes = 0;
    this.#state = state;
    return true;
  }

  /** `isPart`: whether a byte that ends the sequence belongs to it. */
  #go(state: State, isPart: boolean): boolean {
    this.#state = state;
    return state !== 'text' || isPart;
  }
}

/** The pieces without their escape sequences, also without those that begin in one piece and end in the next. */
export async function* withoutSequences(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const stripper = new EscapeStripper();
  for await (const piece of pieces) yield stripper.strip(Buffer.from(piece));
}
