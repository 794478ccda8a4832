import { messageOf } from '../../lib/app-error.ts';
import { Disposer, after, every } from '../../lib/disposal.ts';
import type { Logger } from '../../lib/logger.ts';
import { logSize } from '../log/log-file.ts';
import type { Job, StopRequest } from '../model/job.ts';
import type { JobStore } from '../store/job-store.ts';

const logPollMs = 1_000;

interface LimitWatchDeps {
  readonly store: JobStore;
  readonly log: Logger;
  readonly maxLogSizeBytes: number;
  /** Ends a job whose `stopRequest` is on record. */
  readonly stop: (id: string) => void;
}

/** Watches the time and the log of running jobs, and ends those that go over a limit. */
export class LimitWatch {
  readonly #deps: LimitWatchDeps;

  constructor(deps: LimitWatchDeps) {
    this.#deps = deps;
  }

  /** Watches a job that has started, until the result is disposed of. */
  watch(job: Job): Disposer {
    const watch = new Disposer();
    watch.add(after(this.#remainingMs(job), () => void this.#requestStop(job.id, 'timeout')));
    watch.add(every(logPollMs, () => void this.#checkLog(job.id)));
    return watch;
  }

  #remainingMs(job: Job): number {
    // A clock that was ahead when the job started, and was mended since, must not lengthen its limit.
    const startedMs = Math.min(Date.parse(job.startedAt ?? job.createdAt), Date.now());
    return Math.max(0, startedMs + job.timeoutMs - Date.now());
  }

  async #checkLog(id: string): Promise<void> {
    const { store, maxLogSizeBytes } = this.#deps;
    if ((await logSize(store.paths(id).log)) > maxLogSizeBytes) await this.#requestStop(id, 'log-limit');
  }

  /** Never rejects: it runs on a timer, and the job may have ended and been removed meanwhile. */
  async #requestStop(id: string, reason: StopRequest['reason']): Promise<void> {
    const { store, log, stop } = this.#deps;
    const at = new Date().toISOString();
    try {
      const job = await store.update(id, (current) =>
        current.state === 'running' && !current.stopRequest
          ? { ...current, stopRequest: { reason, by: null, at } }
          : current,
      );
      if (job.stopRequest) stop(id);
    } catch (error) {
      log.error('a job over its limit could not be ended', { job: id, cause: messageOf(error) });
    }
  }
}
