import os from 'node:os';
import { bootId } from './processes/processes.ts';

/** The boot time by the current clock: it changes only when the clock is set. */
export interface ClockMark {
  readonly bootId: string;
  readonly bootMs: number;
}

/** A clock that is slewed, and the rounding of the time since the start, stay below this. */
const toleranceMs = 10_000;

/** The clock of this machine; tests bring their own. */
export interface WallClock {
  /** In ms since 1970. */
  readonly nowMs: () => number;
  readonly mark: () => ClockMark;
}

export const systemClock: WallClock = {
  nowMs: () => Date.now(),
  // The time since the start goes on while the machine sleeps (proc(5), /proc/uptime): a sleep is no change of the clock.
  mark: () => ({ bootId, bootMs: Date.now() - os.uptime() * 1000 }),
};

/** By how many ms the clock was set between two marks; 0 when it was not, or the machine was started in between. */
export function clockSetBy(before: ClockMark, now: ClockMark): number {
  const byMs = Math.round(now.bootMs - before.bootMs);
  return before.bootId === now.bootId && Math.abs(byMs) > toleranceMs ? byMs : 0;
}
