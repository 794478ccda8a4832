import { deferred } from '../../lib/async/deferred.ts';
import { after } from '../../lib/async/disposal.ts';
import { isTerminal, type Job } from '../model/job.ts';
import type { JobStore } from './job-store.ts';

interface WaitOptions {
  readonly ms: number;
  /** Ends the wait early. */
  readonly signal: AbortSignal | undefined;
}

/** Wakes those who wait for the end of a job. One listener for all: a change of a job costs nothing to the others. */
export class JobEnds {
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(store: JobStore) {
    store.on('change', (job: Job) => {
      if (isTerminal(job.state)) for (const wake of this.#waiting.get(job.id) ?? []) wake();
    });
  }

  /** How many wait for the end of this job. */
  waiterCount(id: string): number {
    return this.#waiting.get(id)?.size ?? 0;
  }

  /**
   * Resolves when the job ends after this call, when the time is up, or when `signal` is aborted. `hasEnded` is asked
   * once the wait is on: an end in between cannot be missed.
   */
  async wait(id: string, hasEnded: () => Promise<boolean>, { ms, signal }: WaitOptions): Promise<void> {
    const done = deferred<void>();
    const wake = (): void => done.resolve();
    const waiting = this.#waiting.get(id) ?? new Set();
    this.#waiting.set(id, waiting.add(wake));
    signal?.addEventListener('abort', wake);
    const stopTimer = after(ms, wake);
    try {
      if (signal?.aborted || (await hasEnded())) return;
      await done.promise;
    } finally {
      stopTimer();
      signal?.removeEventListener('abort', wake);
      waiting.delete(wake);
      if (waiting.size === 0) this.#waiting.delete(id);
    }
  }
}
