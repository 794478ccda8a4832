import { messageOf } from '../../lib/app-error.ts';
import { Disposer, after } from '../../lib/async/disposal.ts';
import type { Logger } from '../../lib/logger.ts';
import { cutLog, logSize } from '../log/log-file.ts';
import type { Job, StopRequest } from '../model/job.ts';
import type { JobStore } from '../store/job-store.ts';

/** Faster than disks take what a job prints; what a file in memory takes is cut off again. */
const fastestBytesPerMs = 1024 ** 2;
const fastestLookMs = 20;
const slowestLookMs = 1_000;

interface LimitWatchDeps {
  readonly store: JobStore;
  readonly log: Logger;
  /** Ends a job whose `stopRequest` is on record. */
  readonly stop: (id: string) => void;
}

export interface Watch {
  /** The job itself has ended: from now on only the log of what it left is watched. */
  readonly stopClock: () => void;
  readonly dispose: () => void;
}

/**
 * Watches the time and the log of running jobs, and ends those that go over a limit. The nearer a log is to its limit, the
 * more often its size is read, so that it cannot get far over it in between. Output behind the limit until the job is
 * gone is cut off again and again: two graces are long enough to fill a disk. No reader got it (`JobStore.limitLog`).
 */
export class LimitWatch {
  readonly #deps: LimitWatchDeps;

  constructor(deps: LimitWatchDeps) {
    this.#deps = deps;
  }

  /** Watches a job that has started, until the result is disposed of. */
  watch(job: Job): Watch {
    const watch = new Disposer();
    const stopClock = after(this.#remainingMs(job), () => void this.#requestStop(job.id, 'timeout'));
    watch.add(stopClock);
    watch.add(this.#watchLog(job.id));
    return { stopClock, dispose: () => watch.dispose() };
  }

  #watchLog(id: string): () => void {
    let isOver = false;
    let stop = (): void => undefined;
    const look = async (): Promise<void> => {
      const size = await this.#checkLog(id);
      const waitMs = Math.floor((this.#deps.store.logLimit(id) - size) / fastestBytesPerMs);
      if (!isOver) stop = after(Math.min(Math.max(waitMs, fastestLookMs), slowestLookMs), () => void look());
    };
    void look();
    return () => {
      isOver = true;
      stop();
    };
  }

  #remainingMs(job: Job): number {
    // A clock that was ahead when the job started, and was mended since, must not lengthen its limit.
    const startedMs = Math.min(Date.parse(job.startedAt ?? job.createdAt), Date.now());
    return Math.max(0, startedMs + job.timeoutMs - Date.now());
  }

  /** Gives the size of the log in bytes. Never rejects. */
  async #checkLog(id: string): Promise<number> {
    const { store } = this.#deps;
    const { log } = store.paths(id);
    const size = await logSize(log);
    if (size <= store.logLimit(id)) return size;
    // The room first: the record may have to wait for a disk that is full. A cut that fails now is done at the next check.
    await cutLog(log, store.logLimit(id)).catch(() => undefined);
    await this.#requestStop(id, 'log-limit');
    return size;
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
