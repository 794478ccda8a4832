import type { LogSource } from '../../web/dashboard/src/pages/job/log/log-reader.ts';

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** A log in memory, which grows and whose service goes away and comes back. */
export class GrowingLog implements LogSource {
  #bytes: Uint8Array;
  isComplete = false;
  isAway = false;
  readonly asked: [number, number][] = [];
  followers = 0;
  #wake: (() => void)[] = [];

  constructor(text: string) {
    this.#bytes = bytesOf(text);
  }

  #changed(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }

  print(text: string): void {
    this.#bytes = new Uint8Array([...this.#bytes, ...bytesOf(text)]);
    this.#changed();
  }

  finish(): void {
    this.isComplete = true;
    this.#changed();
  }

  setAway(isAway: boolean): void {
    this.isAway = isAway;
    this.#changed();
  }

  #beThere(): void {
    if (this.isAway) throw new Error('the service is away');
  }

  readonly extent = async () => {
    await Promise.resolve();
    this.#beThere();
    return { size: this.#bytes.length, isComplete: this.isComplete };
  };

  readonly read = async (start: number, end: number) => {
    await Promise.resolve();
    this.#beThere();
    this.asked.push([start, end]);
    return this.#bytes.slice(start, end);
  };

  readonly follow = (offset: number, aborted: AbortSignal) => this.#follow(offset, aborted);

  async *#follow(offset: number, aborted: AbortSignal): AsyncGenerator<Uint8Array> {
    this.followers += 1;
    try {
      for (let at = offset; ;) {
        this.#beThere();
        // In pieces that cut lines and characters.
        if (at < this.#bytes.length) {
          const piece = this.#bytes.slice(at, at + 7);
          at += piece.length;
          yield piece;
        } else if (this.isComplete) return;
        else
          await new Promise<void>((resolve) => {
            this.#wake.push(resolve);
            aborted.addEventListener('abort', () => resolve(), { once: true });
          });
        aborted.throwIfAborted();
      }
    } finally {
      this.followers -= 1;
    }
  }
}
