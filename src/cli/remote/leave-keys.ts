const [tilde, dot, lineFeed, carriageReturn] = [0x7e, 0x2e, 0x0a, 0x0d];

/** Finds `~.` at the beginning of a line, which leaves a terminal as in ssh(1); `~~` there is one `~`. */
export class LeaveKeys {
  #isLineStart = true;
  #isHeld = false;

  /** The bytes to send, without a `~` that the next key decides about; undefined to leave. */
  pass(bytes: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
    const passed: number[] = [];
    for (const byte of bytes) {
      if (this.#isHeld && byte === dot) return undefined;
      if (this.#isHeld && byte !== tilde) passed.push(tilde);
      const isHeld = !this.#isHeld && this.#isLineStart && byte === tilde;
      if (!isHeld) passed.push(byte);
      this.#isLineStart = byte === carriageReturn || byte === lineFeed;
      this.#isHeld = isHeld;
    }
    return Uint8Array.from(passed);
  }
}
