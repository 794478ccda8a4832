type Settled<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown };

interface Finished<T> {
  readonly settled: Settled<T>;
  readonly fingerprint: string;
  readonly finishedAtMs: number;
}

interface Flight<T> {
  readonly fingerprint: string;
  /** Never rejects: a background run (a refresh) must not end the process. */
  readonly finished: Promise<Finished<T>>;
}

interface SharedResultOptions<T> {
  readonly produce: () => Promise<T>;
  /** Names the state of the world that a result depends on; cheap, never throws. */
  readonly fingerprint: () => string;
  readonly maxAgeMs: number;
  readonly now?: () => number;
}

/** How many times `maxAgeMs` a result may be served while its successor is on the way. */
const staleFactor = 5;

/**
 * Shares the result of a costly function: at most one run at a time, however many callers wait.
 *
 * A result is served at once while the fingerprint is still the one it was made under and it is at most `maxAgeMs` old;
 * up to five times that it is served at once and renewed behind the scenes; else the asker waits for a run. A failure
 * is kept for `maxAgeMs` as well, so that the cost is constant when the function is broken, and is never served later.
 */
export class SharedResult<T> {
  readonly #options: SharedResultOptions<T>;
  readonly #now: () => number;
  #latest: Finished<T> | undefined;
  #current: Flight<T> | undefined;
  /** The one run that begins when the current one ends, shared by all who came too late for the current one. */
  #next: Promise<Finished<T>> | undefined;

  constructor(options: SharedResultOptions<T>) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /**
   * The value and its age in milliseconds. `fresh` ignores what is kept, but joins a run in flight that began under
   * today's fingerprint. Rejects with what the run rejected with.
   */
  async get(options: { readonly fresh: boolean }): Promise<{ value: T; ageMs: number }> {
    const fingerprint = this.#options.fingerprint();
    const kept = options.fresh ? undefined : this.#kept(fingerprint);
    const { settled, finishedAtMs } = kept ?? (await this.#run(fingerprint));
    if (!settled.ok) throw settled.error;
    return { value: settled.value, ageMs: Math.max(0, this.#now() - finishedAtMs) };
  }

  /** How long ago the last run ended, whether or not it failed; undefined when none did under today's fingerprint. */
  get ageMs(): number | undefined {
    const latest = this.#latest;
    if (latest === undefined || latest.fingerprint !== this.#options.fingerprint()) return undefined;
    return Math.max(0, this.#now() - latest.finishedAtMs);
  }

  #kept(fingerprint: string): Finished<T> | undefined {
    const latest = this.#latest;
    if (latest === undefined || latest.fingerprint !== fingerprint) return undefined;
    const ageMs = this.#now() - latest.finishedAtMs;
    if (ageMs <= this.#options.maxAgeMs) return latest;
    if (!latest.settled.ok || ageMs > staleFactor * this.#options.maxAgeMs) return undefined;
    void this.#run(fingerprint);
    return latest;
  }

  /** A run that tells of `fingerprint` or of something newer. */
  #run(fingerprint: string): Promise<Finished<T>> {
    const current = this.#current;
    if (current === undefined) return this.#start().finished;
    if (current.fingerprint === fingerprint) return current.finished;
    // Whatever the fingerprint is by then: that run begins after this asker came. To insist on one fingerprint would
    // let a state that changes faster than the function runs delay all callers for ever.
    this.#next ??= current.finished.then(() => {
      this.#next = undefined;
      return (this.#current ?? this.#start()).finished;
    });
    return this.#next;
  }

  #start(): Flight<T> {
    const fingerprint = this.#options.fingerprint();
    const finished = this.#produce().then((settled) => {
      const result = { settled, fingerprint, finishedAtMs: this.#now() };
      this.#latest = result;
      this.#current = undefined;
      return result;
    });
    this.#current = { fingerprint, finished };
    return this.#current;
  }

  async #produce(): Promise<Settled<T>> {
    try {
      return { ok: true, value: await this.#options.produce() };
    } catch (error) {
      return { ok: false, error };
    }
  }
}
