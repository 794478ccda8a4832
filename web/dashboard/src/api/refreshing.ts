/** Fetches changed data again: soon, but not at every single change, and never twice at once. */
export class Refreshing {
  readonly #ask: (key: readonly string[]) => Promise<unknown>;
  readonly #settleMs: number;
  readonly #stale = new Set<string>();
  readonly #asked = new Set<string>();
  #settling: ReturnType<typeof setTimeout> | undefined;

  /** `ask` settles with the answer; a rejection makes no difference. */
  constructor(ask: (key: readonly string[]) => Promise<unknown>, settleMs: number) {
    this.#ask = ask;
    this.#settleMs = settleMs;
  }

  /** Marks the data of all keys that begin with this one as changed. */
  note(key: readonly string[]): void {
    this.#stale.add(JSON.stringify(key));
    if (this.#settling === undefined) this.#settling = setTimeout(() => this.#askAll(), this.#settleMs);
  }

  #askAll(): void {
    this.#settling = undefined;
    for (const text of this.#stale) {
      // The answer may be older than the change, so fetch once more after it. Aborting it at each change would never get an answer
      // from a slow service.
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
