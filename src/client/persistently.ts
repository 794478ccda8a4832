/** Asking again while a service restarts, a proxy waits for it, or the network is away. */
import { ConnectionError, ServiceError, UnexpectedReply } from './service-error.ts';

const firstPauseMs = 250;
const longestPauseMs = 5_000;
/** Limits `Retry-After`, which may be a mistake; and a timer for more than 24 days fires at once. */
const longestAskedMs = 60_000;

export interface Patience {
  /** How long a service may be away, in ms. */
  readonly patienceMs: number;
  /** In place of it for a service that has never answered, in ms. */
  readonly firstPatienceMs?: number;
  /** Told when an attempt failed that is made again. */
  readonly onLost?: ((error: Error) => void) | undefined;
  /** Told when the service has answered, for the first time and after each loss. */
  readonly onAnswer?: (() => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface RetryOptions {
  /** Whether to wait for a host of a cluster, too: for what can only be had from that one, and is there when it is back. */
  readonly waitsForHost?: boolean;
}

function isPassing(error: unknown, { waitsForHost }: RetryOptions): error is Error {
  if (error instanceof UnexpectedReply) return false;
  // A certificate that is refused is refused the next time, too.
  if (error instanceof ConnectionError) return error.reason === undefined || error.reason === 'may-be-tls';
  return error instanceof ServiceError && (error.isAway || (waitsForHost === true && error.isHostAway));
}

/** Waits, in Node as in a browser. @throws what `signal` was aborted with. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', abort, { once: true });
  });
}

/** How long to wait before one more attempt: longer each time, as the service asks, and not all clients at once. */
function pauseMs(error: Error, failures: number): number {
  const asked = error instanceof ServiceError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
  const grown = Math.min(firstPauseMs * 2 ** failures, longestPauseMs);
  return Math.max(Math.min(asked, longestAskedMs), grown * (0.5 + Math.random() / 2));
}

/** Counts the failures since the service last answered, and waits before the next attempt. */
export class Retries {
  readonly #patience: Patience;
  readonly #options: RetryOptions;
  #failures = 0;
  #awaySince: number | undefined;

  constructor(patience: Patience, options: RetryOptions = {}) {
    this.#patience = patience;
    this.#options = options;
  }

  /** The service has answered. */
  reset(): void {
    this.#failures = 0;
    this.#awaySince = undefined;
  }

  /** Waits before one more attempt. @throws `error` itself when it does not pass, or the service is away for too long. */
  async waitAfter(error: unknown): Promise<void> {
    const { patienceMs, firstPatienceMs = patienceMs, onLost, signal } = this.#patience;
    const mostMs = error instanceof ConnectionError && error.neverReached ? firstPatienceMs : patienceMs;
    this.#awaySince ??= performance.now();
    if (!isPassing(error, this.#options) || performance.now() - this.#awaySince > mostMs) throw error;
    onLost?.(error);
    const ms = pauseMs(error, this.#failures);
    this.#failures += 1;
    await pause(ms, signal);
  }
}

/** The result of `action`, which is safe to do twice. */
export async function persistently<T>(patience: Patience, action: () => Promise<T>): Promise<T> {
  const retries = new Retries(patience);
  for (;;) {
    try {
      return await action();
    } catch (error) {
      await retries.waitAfter(error);
    }
  }
}

/** A unique idempotency key. Not `randomUUID`, which browsers offer only to pages that came over TLS. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
