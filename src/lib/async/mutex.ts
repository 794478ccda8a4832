/** Runs one task at a time, in the order of asking. */
export class Mutex {
  #tail: Promise<unknown> = Promise.resolve();

  async run<T>(task: () => Promise<T>): Promise<T> {
    const turn = this.#tail.then(task);
    this.#tail = turn.catch(() => undefined);
    return turn;
  }
}
