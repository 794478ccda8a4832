/**
 * One time for all hosts, whatever their own clocks say: that of Redis (`TIME`), carried on by the monotonic clock.
 */
export class RedisClock {
  #offsetMs: number | undefined;
  #sinceMs: number | undefined;

  /** Undefined before Redis was asked for the first time. In ms since 1970. */
  get nowMs(): number | undefined {
    return this.#offsetMs === undefined ? undefined : Math.round(performance.now() + this.#offsetMs);
  }

  /** When Redis was asked for the first time; undefined before. */
  get sinceMs(): number | undefined {
    return this.#sinceMs;
  }

  /** Takes over what `TIME` has answered (seconds and microseconds) to a question that was sent at `askedAt` of `performance.now()`. */
  set(reply: unknown, askedAt: number): void {
    const [seconds, microseconds] = reply as readonly [string, string];
    const middle = (askedAt + performance.now()) / 2;
    this.#offsetMs = Number(seconds) * 1000 + Number(microseconds) / 1000 - middle;
    this.#sinceMs ??= this.nowMs;
  }
}
