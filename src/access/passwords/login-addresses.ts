import { LruCache } from '../../lib/cache/lru-cache.ts';
import type { Standing } from './check-queue.ts';

/** Addresses to remember, of each kind. */
const maxAddresses = 20_000;
const triesUntilSuspect = 3;
const memoryMs = 3_600_000;

/** Remembers from where users have logged in, and from where logins fail. */
export class LoginAddresses {
  /** A user and an address. Whoever logs in from there comes before strangers. */
  readonly #trusted = new LruCache<true>(maxAddresses);
  readonly #tries = new LruCache<{ readonly count: number; readonly endsMs: number }>(maxAddresses);

  /** How many logins from there have failed, or have no verdict yet, in the last hour or so. */
  tries(address: string): number {
    const known = this.#tries.get(address);
    return known === undefined || known.endsMs <= performance.now() ? 0 : known.count;
  }

  standing(name: string, address: string): Standing {
    if (this.#trusted.get(placeOf(name, address))) return 'trusted';
    return this.tries(address) < triesUntilSuspect ? 'fresh' : 'suspect';
  }

  /** Before its verdict: hundreds of guesses that come at once must not all be the first one. */
  noteTry(address: string): void {
    this.#tries.set(address, { count: this.tries(address) + 1, endsMs: performance.now() + memoryMs });
  }

  /** Takes back this try only: whoever has an account may not wash an address with it. */
  noteRight(name: string, address: string, wasCounted: boolean): void {
    this.#trusted.set(placeOf(name, address), true);
    const known = this.#tries.get(address);
    if (wasCounted && known) this.#tries.set(address, { ...known, count: Math.max(0, known.count - 1) });
  }

  /** The address may have been given to somebody else. */
  noteWrong(name: string, address: string): void {
    this.#trusted.delete(placeOf(name, address));
  }
}

function placeOf(name: string, address: string): string {
  // No address has a space in it.
  return `${address} ${name}`;
}
