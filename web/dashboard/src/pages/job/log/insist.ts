import { pause } from '../../../../../../src/client/persistently.ts';
import { ServiceError } from '../../../../../../src/client/service-error.ts';

/** Whether a retry cannot help. A 401 can: the user may log in again. */
function isFinal(error: unknown): boolean {
  if (!(error instanceof ServiceError) || error.isAway) return false;
  return error.status < 500 && error.status !== 401 && error.status !== 429;
}

/** The longest pause between two attempts. */
const longestRetryMs = 15_000;

interface Insistence {
  readonly signal: AbortSignal;
  /** The pause before the second attempt; it doubles with each further attempt. */
  readonly retryMs: number;
  /** Reports the error before each retry, and undefined after a success. */
  readonly told: (problem: Error | undefined) => void;
}

/** Retries while the service is unreachable. @throws the refusal of the service, or the reason of `signal`. */
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
