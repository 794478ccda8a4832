/** The end of a login, where streams look for the end of the service. */
import { setMaxListeners } from 'node:events';
import { AppError } from '../lib/app-error.ts';

export function loginEnded(): AppError {
  return new AppError(
    'unauthorized',
    'the login does not hold any more: the user or the credentials were changed',
  );
}

/** Whether a signal was aborted because of that. */
export function hasLoginEnded({ aborted, reason }: AbortSignal): boolean {
  return aborted && reason instanceof AppError && reason.code === 'unauthorized';
}

/**
 * Signals that are aborted with the service or with a login, whichever ends first; one for each login. By hand, with one
 * listener at the service for all: what `AbortSignal.any` ties to a signal that lives as long as the service is never quite
 * let go.
 */
export class LoginEnds {
  readonly #shutdown: AbortSignal;
  readonly #signals = new WeakMap<AbortSignal, AbortSignal>();
  /** A controller lives as long as its signal is in use. */
  readonly #controllers = new WeakMap<AbortSignal, AbortController>();
  readonly #live = new Set<WeakRef<AbortController>>();
  readonly #forgotten = new FinalizationRegistry<WeakRef<AbortController>>((ref) => this.#live.delete(ref));

  constructor(shutdown: AbortSignal) {
    this.#shutdown = shutdown;
    shutdown.addEventListener('abort', () => {
      for (const ref of this.#live) ref.deref()?.abort(shutdown.reason);
    });
  }

  /** `revoked` is that of the login. */
  signalOf(revoked: AbortSignal): AbortSignal {
    const known = this.#signals.get(revoked);
    if (known) return known;
    const controller = new AbortController();
    const { signal } = controller;
    // Each stream and each wait listens.
    setMaxListeners(0, signal, revoked);
    this.#signals.set(revoked, signal);
    this.#controllers.set(signal, controller);
    const ref = new WeakRef(controller);
    this.#live.add(ref);
    this.#forgotten.register(controller, ref);
    revoked.addEventListener('abort', () => controller.abort(loginEnded()), { once: true });
    if (this.#shutdown.aborted) controller.abort(this.#shutdown.reason);
    if (revoked.aborted) controller.abort(loginEnded());
    return signal;
  }
}
