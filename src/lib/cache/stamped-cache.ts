import { after } from '../async/disposal.ts';
import { LruCache } from './lru-cache.ts';

interface Made<V> {
  readonly stamp: string;
  readonly making: Promise<V>;
}

/** How long a failure is told again: whoever asks each second for what cannot be made must not have it tried each time. */
const failureAgeMs = 5_000;

/**
 * What is costly to make and stays as it is as long as its stamp does: made once, for all who ask meanwhile too. The one of
 * each key that was made last is kept, of the keys that were asked for last.
 */
export class StampedCache<V> {
  readonly #made: LruCache<Made<V>>;

  constructor(limit: number) {
    this.#made = new LruCache(limit);
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
