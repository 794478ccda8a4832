import { pause } from '../../../../../../src/client/pause.ts';
import { ServiceError } from '../../../../../../src/client/service-error.ts';

/** What asking again does not change. Who has to log in again goes on afterwards. */
function isFinal(error: unknown): boolean {
  if (!(error instanceof ServiceError) || error.isAway) return false;
  return error.status < 500 && error.status !== 401 && error.status !== 429;
}

/** A service that stays away is not asked more often than that. */
const longestRetryMs = 15_000;

interface Insistence {
  readonly signal: AbortSignal;
  /** Until the second attempt; twice as long with each one after it. */
  readonly retryMs: number;
  /** Why it is tried again; undefined once it has worked. */
  readonly told: (problem: Error | undefined) => void;
}

/** Tries again for as long as the service is away. @throws what the service refuses with, and what `signal` was aborted with. */
export async function insist<T>(action: () => Promise<T>, { signal, retryMs, told }: Insistence): Promise<T> {
  for (let waitMs = retryMs; ; waitMs = Math.min(2 * waitMs, longestRetryMs)) {
    try {
      const result = await action();
      told(undefined);
      return result;
    } catch (error) {
      signal.throwIfAborted();
      if (isFinal(error)) throw error;
      told(error instanceof Error ? error : new Error(String(error)));
      await pause(waitMs, signal);
    }
  }
}
