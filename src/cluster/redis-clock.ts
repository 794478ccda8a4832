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

  /**
   * Sets the time to the reply to `TIME`: seconds and microseconds. `askedAt`: `performance.now()` when it was asked. The result is
   * the time of the reply itself, without an estimate of the way: of two replies, the later one has the later time.
   */
  set(reply: unknown, askedAt: number): number {
    const [seconds, microseconds] = reply as readonly [string, string];
    const repliedMs = Number(seconds) * 1000 + Number(microseconds) / 1000;
    const middle = (askedAt + performance.now()) / 2;
    this.#offsetMs = repliedMs - middle;
    this.#sinceMs ??= this.nowMs;
    return repliedMs;
  }
}
