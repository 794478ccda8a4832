/** What the ways to end processes share. */
import { setTimeout as delay } from 'node:timers/promises';

const firstPollMs = 20;
const slowestPollMs = 500;
/** How long to wait for the kernel to remove what SIGKILL hit; longer only in an uninterruptible sleep. */
export const killWaitMs = 5_000;

export interface TerminateOptions {
  /** Between SIGINT and SIGTERM, and between SIGTERM and SIGKILL. */
  readonly graceMs: number;
  /** Aborted when the processes are to be killed at once, without (more) grace. */
  readonly forceKill: AbortSignal;
}

export interface Termination {
  /** Whether anything but the shim was alive when the first signal was sent. */
  readonly signaled: boolean;
  /** Process ids that survived. */
  readonly leftovers: readonly number[];
  /** Whether SIGINT and SIGTERM, with their grace, were not enough. */
  readonly neededKill: boolean;
}

export function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone meanwhile, or not ours to signal: the next look at the survivors tells.
  }
}

/** A pause that is longer each time, and over as soon as `cut` is aborted. */
export function makePause(cut: AbortSignal): () => Promise<void> {
  let pauseMs = firstPollMs;
  return async () => {
    await delay(pauseMs, undefined, { signal: cut }).catch(() => undefined);
    pauseMs = Math.min(pauseMs * 1.5, slowestPollMs);
  };
}
