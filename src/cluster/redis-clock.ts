/**
 * The time of Redis, which all hosts of the cluster use instead of their own clocks. The host asks Redis for it (`TIME`) now and
 * then; in between, it adds the time that has passed by the monotonic clock.
 */
export class RedisClock {
  #offsetMs: number | undefined;
  #sinceMs: number | undefined;

  /** In ms since 1970; undefined before the first reply of Redis. */
  get nowMs(): number | undefined {
    return this.#offsetMs === undefined ? undefined : Math.round(performance.now() + this.#offsetMs);
  }

  /** The time of the first reply of Redis; undefined before. */
  get sinceMs(): number | undefined {
    return this.#sinceMs;
  }

  /** Sets the time to the reply to `TIME`: seconds and microseconds. `askedAt`: `performance.now()` when it was asked. */
  set(reply: unknown, askedAt: number): void {
    const [seconds, microseconds] = reply as readonly [string, string];
    const middle = (askedAt + performance.now()) / 2;
    this.#offsetMs = Number(seconds) * 1000 + Number(microseconds) / 1000 - middle;
    this.#sinceMs ??= this.nowMs;
  }
}
