/** Reads lines and counted bytes, in turn, from bytes that come in pieces of any size. */
export class ByteReader {
  readonly #pieces: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array(0);

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#pieces = source[Symbol.asyncIterator]();
  }

  /** The next line, without its end. @throws Error when it is longer than `max` bytes, or cut off. */
  async line(max: number): Promise<string> {
    let line = '';
    for (;;) {
      if (this.#rest.length === 0) await this.#next();
      const end = this.#rest.indexOf(0x0a);
      const part = this.#rest.subarray(0, end === -1 ? this.#rest.length : end);
      line += Buffer.from(part).toString('latin1');
      if (line.length > max) throw new Error('a line is too long');
      this.#rest = this.#rest.subarray(end === -1 ? this.#rest.length : end + 1);
      if (end !== -1) return line;
    }
  }

  /** The next `count` bytes. @throws Error when they are cut off. */
  async *bytes(count: number): AsyncGenerator<Uint8Array, void, void> {
    for (let left = count; left > 0;) {
      if (this.#rest.length === 0) await this.#next();
      const piece = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(piece.length);
      left -= piece.length;
      yield piece;
    }
  }

  async #next(): Promise<void> {
    const next: IteratorResult<Uint8Array, unknown> = await this.#pieces.next();
    // As a stream that ends early, so that the end of the program says why.
    if (next.done === true)
      throw Object.assign(new Error('the output is cut off'), { code: 'ERR_STREAM_PREMATURE_CLOSE' });
    this.#rest = next.value;
  }
}
