/** Takes over the jobs of an earlier service at the start, and stops accepting and starting jobs at the end. */
import { messageOf } from '../lib/app-error.ts';
import type { Logger } from '../lib/logger.ts';
import type { Admission } from './intake/admission.ts';
import type { IdempotencyKeys } from './intake/idempotency.ts';
import { Together } from './intake/together.ts';
import { isTerminal, lockKey, type Job } from './model/job.ts';
import type { JobQueue } from './run/job-queue.ts';
import { recoverJob, recoverJobs, type Recovered, type RecoveryDeps } from './run/recovery.ts';
import type { Scheduler } from './run/scheduler.ts';
import type { Supervisor } from './run/supervisor.ts';
import type { JobStore } from './store/job-store.ts';

interface LifecycleDeps {
  readonly store: JobStore;
  readonly queue: JobQueue;
  readonly scheduler: Scheduler;
  readonly supervisor: Supervisor;
  readonly admission: Admission;
  readonly idempotency: IdempotencyKeys;
  readonly log: Logger;
}

function cleanupsFirst(a: Job, b: Job): number {
  return Number(b.cleanupOf !== null) - Number(a.cleanupOf !== null);
}

export class JobsLifecycle {
  readonly #deps: LifecycleDeps;
  readonly #recovery: RecoveryDeps;

  constructor(deps: LifecycleDeps) {
    this.#deps = deps;
    const { store, queue, scheduler, supervisor, log } = deps;
    this.#recovery = {
      store,
      supervisor,
      log,
      hold: (job) => queue.adopt(job.id, lockKey(job)),
      release: (id) => scheduler.release(id),
      wait: (job) => queue.add(job.id, lockKey(job), 'first'),
    };
  }

  /**
   * Recovers every unfinished job of an earlier service. Call once, before requests come in. A job that waits
   * goes on waiting until `open`.
   */
  async recover(): Promise<Recovered> {
    const { store, queue, scheduler, admission, idempotency, log } = this.#deps;
    admission.goOnAfter(store.newestId());
    await new Together(store, log).recover();
    idempotency.load(store.summaries());
    scheduler.hold();
    const queued = store.unfinished().filter((job) => job.state === 'queued');
    // As when it was made: a cleanup comes before all that waits for its directory.
    for (const job of queued.toSorted(cleanupsFirst)) queue.add(job.id, lockKey(job));
    return recoverJobs(this.#recovery);
  }

  /** Starts what waits, and takes back what the disk did not give before. */
  open(): void {
    const { store, scheduler, log } = this.#deps;
    store.on('found', (job) => {
      this.#takeBack(job).catch((error: unknown) => {
        log.error('a job cannot be recovered now', { job: job.id, cause: messageOf(error) });
      });
    });
    scheduler.open();
  }

  /** Brings a job that came to light late to where `recover` would have brought it. */
  async #takeBack(job: Job): Promise<void> {
    const { queue, scheduler, admission, idempotency } = this.#deps;
    idempotency.load([job]);
    if (isTerminal(job.state) || !admission.isOpen) return;
    if (job.state !== 'queued') await recoverJob(job, this.#recovery);
    else queue.add(job.id, lockKey(job), job.cleanupOf === null ? 'last' : 'first');
    scheduler.startNext();
  }

  /** Starts what may start now, after a change of the limits. */
  startNext(): void {
    this.#deps.scheduler.startNext();
  }

  /**
   * Takes no new jobs and starts none of those that wait. Running ones are left alone. Resolves when each start that was
   * under way has come to its process.
   */
  async close(): Promise<void> {
    this.#deps.admission.close();
    await this.#deps.scheduler.close();
  }
}
