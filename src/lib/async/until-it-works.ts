import { setTimeout as delay } from 'node:timers/promises';

const pauseMs = 200;

/**
 * Tries again, without end, until it works. For questions that the system cannot answer at the moment (no file descriptor
 * left, an I/O error) and that must not be answered by a guess. `onFailure` is called with the first failure only.
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
