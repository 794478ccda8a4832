import { after } from '../async/disposal.ts';
import { LruCache } from './lru-cache.ts';

interface Made<V> {
  readonly stamp: string;
  readonly making: Promise<V>;
}

/** How long a failure is kept: a client that asks every second must not cause an attempt every second. */
const failureAgeMs = 5_000;

/**
 * Values that are costly to make and valid as long as their stamp. Concurrent callers share one making. Keeps the latest
 * value of each of the most recently used keys.
 */
export class StampedCache<V> {
  readonly #made: LruCache<Made<V>>;

  constructor(limit: number) {
    this.#made = new LruCache(limit);
  }

  forget(key: string): void {
    this.#made.delete(key);
  }

  /** Rejects as `make` does. */
  async get(key: string, stamp: string, make: () => Promise<V>): Promise<V> {
    const made = this.#made.get(key);
    if (made?.stamp === stamp) return made.making;
    const making = make();
    this.#made.set(key, { stamp, making });
    making.catch(() => {
      after(failureAgeMs, () => {
        if (this.#made.get(key)?.making === making) this.#made.delete(key);
      });
    });
    return making;
  }
}
