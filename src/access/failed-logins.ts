const windowMs = 60_000;
const failuresPerWindow = 30;
/** Addresses to remember. Whoever has more of them than this gets new guesses from the oldest. */
const maxAddresses = 10_000;

interface Failures {
  count: number;
  /** By the clock that nobody sets: `performance.now()`. */
  readonly endsMs: number;
}

/**
 * Counts wrong passwords by address. Every step is synchronous: a client sends hundreds of guesses at once down one
 * connection (pipelining), and each must find the count of those before it.
 */
export class FailedLogins {
  /** In the order of their windows' ends. */
  readonly #byAddress = new Map<string, Failures>();

  /** How long the address is locked out, in ms; 0 when it is not. */
  lockedMs(address: string): number {
    const failures = this.#current(address);
    if (failures === undefined || failures.count < failuresPerWindow) return 0;
    return Math.max(0, failures.endsMs - performance.now());
  }

  /** Counts one; whether it is the one that locks the address out. */
  count(address: string): boolean {
    const failures = this.#current(address) ?? { count: 0, endsMs: performance.now() + windowMs };
    failures.count += 1;
    this.#byAddress.set(address, failures);
    const [oldest] = this.#byAddress.keys();
    if (this.#byAddress.size > maxAddresses && oldest !== undefined) this.#byAddress.delete(oldest);
    return failures.count === failuresPerWindow;
  }

  #current(address: string): Failures | undefined {
    const failures = this.#byAddress.get(address);
    if (failures === undefined || failures.endsMs > performance.now()) return failures;
    this.#byAddress.delete(address);
    return undefined;
  }
}
