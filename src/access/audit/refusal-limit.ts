const perAddress = 30;
const perInterval = 300;
const maxAddresses = 200;

/** Everybody for whom there was no room. */
const others = '';

interface Uncounted {
  /** Undefined for all addresses that there was no room to tell apart. */
  readonly address: string | undefined;
  readonly count: number;
}

/**
 * Keeps a flood of refused requests from filling the disk: the first of each address get lines of their own, of the rest
 * it is counted how many there were. Whoever uses it says when an interval is over.
 */
export class RefusalLimit {
  /** All of this interval, by address. */
  readonly #counts = new Map<string, number>();
  /** Those without a line of their own, by address. */
  readonly #more = new Map<string, number>();
  #lines = 0;

  /** Whether a refused request of this address gets a line of its own; else it is counted. */
  admits(address: string): boolean {
    const isKnown = this.#counts.has(address) || this.#counts.size < maxAddresses;
    const key = isKnown ? address : others;
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    if (count <= perAddress && this.#lines < perInterval) {
      this.#lines += 1;
      return true;
    }
    this.#more.set(key, (this.#more.get(key) ?? 0) + 1);
    return false;
  }

  /** Ends the interval: how many of which address got no line of their own. */
  take(): Uncounted[] {
    const more = [...this.#more].map(([key, count]) => ({
      address: key === others ? undefined : key,
      count,
    }));
    this.#counts.clear();
    this.#more.clear();
    this.#lines = 0;
    return more;
  }
}
