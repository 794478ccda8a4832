/** Asks again for what has changed: soon, but not at each of many changes, and never while the same is being asked for. */
export class Refreshing {
  readonly #ask: (key: readonly string[]) => Promise<unknown>;
  readonly #settleMs: number;
  readonly #stale = new Set<string>();
  readonly #asked = new Set<string>();
  #settling: ReturnType<typeof setTimeout> | undefined;

  /** `ask` settles with the answer; whether it rejects makes no difference. */
  constructor(ask: (key: readonly string[]) => Promise<unknown>, settleMs: number) {
    this.#ask = ask;
    this.#settleMs = settleMs;
  }

  /** Tells that what begins with this key is another thing now. */
  note(key: readonly string[]): void {
    this.#stale.add(JSON.stringify(key));
    if (this.#settling === undefined) this.#settling = setTimeout(() => this.#askAll(), this.#settleMs);
  }

  #askAll(): void {
    this.#settling = undefined;
    for (const text of this.#stale) {
      // Its answer may be of before, so it is asked for once more afterwards. Who gave it up for a new question at each change
      // would never get an answer from a slow service.
      if (this.#asked.has(text)) continue;
      this.#stale.delete(text);
      this.#asked.add(text);
      const key = JSON.parse(text) as string[];
      const done = (): void => {
        this.#asked.delete(text);
        if (this.#stale.has(text)) this.note(key);
      };
      this.#ask(key).then(done, done);
    }
  }
}
