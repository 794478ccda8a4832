import { setTimeout as delay } from 'node:timers/promises';

const pauseMs = 200;

/**
 * Tries again until it works. For questions to the system that it cannot answer at the moment (no file descriptor left,
 * an I/O error) and to which there is no other answer than the true one. `onFailure` hears of the first failure.
 */
export async function untilItWorks<T>(
  action: () => Promise<T>,
  onFailure?: (error: unknown) => void,
): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await action();
    } catch (error) {
      if (tries === 0) onFailure?.(error);
      await delay(pauseMs);
    }
  }
}
