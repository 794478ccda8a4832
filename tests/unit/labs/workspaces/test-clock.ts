import type { ClockMark, WallClock } from '../../../../src/lib/wall-clock.ts';

export const minute = 60_000;

/** A clock that a test moves by hand; it begins with the time of the machine, which files have, too. */
export class TestClock implements WallClock {
  #nowMs = Date.now();
  #boot: ClockMark = { bootId: 'first', bootMs: this.#nowMs - minute };

  readonly nowMs = (): number => this.#nowMs;
  readonly mark = (): ClockMark => this.#boot;

  pass(ms: number): void {
    this.#nowMs += ms;
  }

  /** As when a time server sets the clock. */
  set(byMs: number): void {
    this.#nowMs += byMs;
    this.#boot = { ...this.#boot, bootMs: this.#boot.bootMs + byMs };
  }

  /** The machine starts anew, and takes this for the time. */
  restart(nowMs: number): void {
    this.#nowMs = nowMs;
    this.#boot = { bootId: 'second', bootMs: nowMs };
  }
}
