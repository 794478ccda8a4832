/** Runs tasks of one key one after the other, in the order of asking; tasks of different keys do not wait for each other. */
export class KeyedMutex {
  readonly #tails = new Map<string, Promise<unknown>>();

  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const turn = (this.#tails.get(key) ?? Promise.resolve()).then(task);
    const settled = turn.catch(() => undefined);
    this.#tails.set(key, settled);
    try {
      return await turn;
    } finally {
      if (this.#tails.get(key) === settled) this.#tails.delete(key);
    }
  }
}
