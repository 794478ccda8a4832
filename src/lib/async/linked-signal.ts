import { setMaxListeners } from 'node:events';

export interface LinkedSignal {
  /** Aborted as soon as one of its sources is. */
  readonly signal: AbortSignal;
  /** To be called when the signal is no longer used. */
  readonly unlink: () => void;
}

/** By hand: what `AbortSignal.any` ties to a signal that lives as long as the service is never quite let go. */
export function linkSignals(...sources: readonly AbortSignal[]): LinkedSignal {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  const unlink = (): void => {
    for (const source of sources) source.removeEventListener('abort', end);
  };
  const end = (): void => {
    unlink();
    controller.abort();
  };
  if (sources.some(({ aborted }) => aborted)) controller.abort();
  else for (const source of sources) source.addEventListener('abort', end);
  return { signal: controller.signal, unlink };
}
