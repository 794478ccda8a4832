const windowMs = 60_000;
const failuresPerWindow = 30;
/** Addresses to remember. A client with more addresses can guess again from the oldest one. */
const maxAddresses = 10_000;

interface Failures {
  count: number;
  /** By `performance.now()`: no administrator sets that clock. */
  readonly endsMs: number;
}

/**
 * Counts wrong passwords by address. Each step is synchronous: a client can send hundreds of guesses at once down one connection
 * (pipelining), and each guess must find the count of the earlier ones.
 */
export class FailedLogins {
  /** In the order of their windows' ends. */
  readonly #byAddress = new Map<string, Failures>();

  /** The time until the address may log in again, in ms; 0 if it is not locked out. */
  lockedMs(address: string): number {
    const failures = this.#current(address);
    if (failures === undefined || failures.count < failuresPerWindow) return 0;
    return Math.max(0, failures.endsMs - performance.now());
  }

  /** Counts a failure, and returns whether this one locks the address out. */
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
