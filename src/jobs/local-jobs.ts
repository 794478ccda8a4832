/** The jobs of this machine as records: submits, finds, cancels and removes them, and takes over those of an earlier service. */
import { AppError, messageOf } from '../lib/app-error.ts';
import type { Logger } from '../lib/logger.ts';
import type { Admission } from './intake/admission.ts';
import { IdempotencyKeys } from './intake/idempotency.ts';
import type { JobOrigin } from './intake/new-job.ts';
import { repeatRequest } from './intake/repeat-request.ts';
import { cancelUnstarted, isTerminal, lockKey, transition, type Job } from './model/job.ts';
import type { JobRequest } from './model/job-request.ts';
import type { JobQueue, Turn, PostponedStarts } from './run/job-queue.ts';
import { recoverJob, recoverJobs, type Recovered, type RecoveryDeps } from './run/recovery.ts';
import { Scheduler } from './run/scheduler.ts';
import type { Supervisor } from './run/supervisor.ts';
import { JobEnds } from './store/job-ends.ts';
import type { JobStore } from './store/job-store.ts';
import { noSuchJob } from './model/no-such-job.ts';

interface LocalJobsDeps {
  readonly store: JobStore;
  readonly queue: JobQueue;
  readonly supervisor: Supervisor;
  readonly postponed: PostponedStarts;
  readonly admission: Admission;
  readonly log: Logger;
}

interface CancelOptions {
  readonly by: string | null;
  readonly force: boolean;
  /** How long the reply may wait for the end. */
  readonly waitMs: number;
}

function cleanupsFirst(a: Job, b: Job): number {
  return Number(b.cleanupOf !== null) - Number(a.cleanupOf !== null);
}

export class LocalJobs {
  readonly #deps: LocalJobsDeps;
  readonly #scheduler: Scheduler;
  readonly idempotency: IdempotencyKeys;
  readonly ends: JobEnds;

  constructor(deps: LocalJobsDeps) {
    this.#deps = deps;
    this.#scheduler = new Scheduler(deps);
    this.idempotency = new IdempotencyKeys(deps.store);
    this.ends = new JobEnds(deps.store);
  }

  /**
   * Checks, records and queues a job.
   * @throws AppError; then nothing was queued.
   */
  async submit(request: JobRequest, origin: JobOrigin): Promise<Job> {
    const job = await this.#deps.admission.admit(request, origin);
    this.#scheduler.startNext();
    return job;
  }

  /**
   * Submits what a finished job was asked to do once more.
   * @throws AppError `job-not-found`, `job-active`, `topology-not-found`, or as `submit`; then nothing was queued.
   */
  async retry(id: string, origin: JobOrigin): Promise<Job> {
    const old = await this.#getFinished(id, 'run again');
    this.#deps.admission.assertRepeatable(old);
    const request = await repeatRequest(old, this.#deps.store.paths(id).topology);
    const job = await this.#deps.admission.admit(request, { ...origin, retryOf: id });
    this.#scheduler.startNext();
    return job;
  }

  /** Queues the `down` of a lab whose lease is over. @throws AppError or Error when it cannot be queued. */
  async endLease(up: Parameters<Admission['endLease']>[0]): Promise<Job> {
    const job = await this.#deps.admission.endLease(up);
    this.#scheduler.startNext();
    return job;
  }

  /**
   * Removes a finished job with all its files.
   * @throws AppError `job-not-found`, `job-active`, or `storage-fault` when the disk refuses.
   */
  async remove(id: string): Promise<void> {
    await this.#getFinished(id, 'removed');
    await this.#deps.store.remove(id).catch((error: unknown) => {
      throw new AppError('storage-fault', `the files of ${id} cannot be removed at the moment`, {
        cause: error,
      });
    });
    this.#deps.log.info('job removed', { job: id });
  }

  async #getFinished(id: string, purpose: string): Promise<Job> {
    const job = await this.get(id);
    if (isTerminal(job.state)) return job;
    const message = `${id} is ${job.state}: it can be ${purpose} when it has ended`;
    throw new AppError('job-active', message, { extra: { state: job.state } });
  }

  /** @throws AppError `job-not-found`. */
  async get(id: string): Promise<Job> {
    const job = await this.#deps.store.get(id);
    if (!job) throw noSuchJob(id);
    return job;
  }

  /** Runs `action` while no job is accepted; it must not take long. */
  async whileClosed<T>(action: () => Promise<T>): Promise<T> {
    return this.#deps.admission.whileClosed(action);
  }

  /** Null for a job that does not wait. */
  turnOf(id: string): Turn | null {
    return this.#deps.queue.turnOf(id);
  }

  /**
   * Cancels a job and waits a moment for its end. The intent is on record before anything is signaled.
   * @returns the job, `canceling` when it takes longer.
   */
  async cancel(id: string, options: CancelOptions): Promise<Job> {
    const { store, queue, supervisor, log } = this.#deps;
    const { by } = options;
    // A waiting job must not start after a restart of the service; a running job must end even on a full disk.
    const mustPersist = store.summary(id)?.state === 'queued';
    const job = await store.update(
      id,
      (current) => {
        if (current.state === 'queued') return cancelUnstarted(current, by);
        if (current.state !== 'running') return current;
        const at = new Date().toISOString();
        return transition(current, 'canceling', {
          stopRequest: current.stopRequest ?? { reason: 'canceled', by, at },
        });
      },
      { mustPersist },
    );
    queue.remove(id);
    if (isTerminal(job.state)) {
      this.#scheduler.startNext();
      return job;
    }
    log.info('job is being canceled', { job: id, by, force: options.force });
    supervisor.stop(id, { force: options.force });
    return this.waitForEnd(id, options.waitMs);
  }

  /** The job as soon as it is terminal, or as it is after `waitMs`, or when `signal` is aborted. */
  async waitForEnd(id: string, waitMs: number, signal?: AbortSignal): Promise<Job> {
    const hasEnded = async (): Promise<boolean> => isTerminal((await this.get(id)).state);
    await this.ends.wait(id, hasEnded, { ms: waitMs, signal });
    return this.get(id);
  }

  /**
   * Recovers every unfinished job of an earlier service. Call once, before requests come in. A job that waits
   * goes on waiting until `open`.
   */
  async recover(): Promise<Recovered> {
    const { store, queue, admission } = this.#deps;
    admission.goOnAfter(store.newestId());
    this.idempotency.load(store.summaries());
    this.#scheduler.hold();
    const queued = store.unfinished().filter((job) => job.state === 'queued');
    // As when it was made: a cleanup comes before all that waits for its directory.
    for (const job of queued.toSorted(cleanupsFirst)) queue.add(job.id, lockKey(job));
    return recoverJobs(this.#recovery());
  }

  #recovery(): RecoveryDeps {
    const { store, queue, supervisor, log } = this.#deps;
    return {
      store,
      supervisor,
      log,
      hold: (job) => queue.adopt(job.id, lockKey(job)),
      release: (id) => this.#scheduler.release(id),
      wait: (job) => queue.add(job.id, lockKey(job), 'first'),
    };
  }

  /** Brings a job that came to light late to where `recover` would have brought it. */
  async #takeBack(job: Job): Promise<void> {
    this.idempotency.load([job]);
    if (isTerminal(job.state) || !this.#deps.admission.isOpen) return;
    if (job.state !== 'queued') {
      await recoverJob(job, this.#recovery());
    } else {
      this.#deps.queue.add(job.id, lockKey(job), job.cleanupOf === null ? 'last' : 'first');
    }
    this.#scheduler.startNext();
  }

  /** Starts what waits, and takes back what the disk did not give before. */
  open(): void {
    this.#deps.store.on('found', (job) => {
      this.#takeBack(job).catch((error: unknown) => {
        this.#deps.log.error('a job cannot be recovered now', { job: job.id, cause: messageOf(error) });
      });
    });
    this.#scheduler.open();
  }

  /**
   * Takes no new jobs and starts none of those that wait. Running ones are left alone. Resolves when each start that was
   * under way has come to its process.
   */
  async close(): Promise<void> {
    this.#deps.admission.close();
    await this.#scheduler.close();
  }

  /**
   * Cancels all that runs and waits until it has ended, `waitMs` at most; what waits in the queue goes on waiting. Call
   * after `close`.
   */
  async cancelAll(waitMs = 60_000): Promise<void> {
    const running = this.#deps.store.unfinished().filter((job) => job.state !== 'queued');
    await Promise.all(
      running.map(async ({ id }) => {
        await this.cancel(id, { by: 'the shutdown of the service', force: false, waitMs });
      }),
    );
  }
}
