import type { FeedEvent } from './model/event.ts';

/** As much of it as a client takes at once. */
const partBytes = 64 * 1024;

/** The last events, in memory: what nearly every client asks for. Their numbers rise, not always by one. */
export class RecentEvents {
  readonly #maxBytes: number;
  #events: FeedEvent[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get all(): readonly FeedEvent[] {
    return this.#events;
  }

  add(event: FeedEvent): void {
    this.#events.push(event);
    this.#bytes += event.size;
    // Many at a time: taking out the first of thousands moves all others.
    if (this.#bytes > this.#maxBytes * 1.25) this.#forgetOldest();
  }

  #forgetOldest(): void {
    const kept = this.#events.findIndex((event) => {
      this.#bytes -= event.size;
      return this.#bytes <= this.#maxBytes;
    });
    this.#events = this.#events.slice(kept + 1);
  }

  /** Some of the events after that of this number; undefined when that one is not among those here. */
  after(number: number): readonly FeedEvent[] | undefined {
    const place = this.#place(number);
    if (this.#events[place]?.number !== number) return undefined;
    let bytes = 0;
    const following = this.#events.slice(place + 1, place + 1_000);
    const end = following.findIndex((event) => (bytes += event.size) > partBytes);
    return end === -1 ? following : following.slice(0, end + 1);
  }

  /** Where the first event stands whose number is not below this one. */
  #place(number: number): number {
    let [low, high] = [0, this.#events.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#events[middle]?.number ?? 0) < number) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
