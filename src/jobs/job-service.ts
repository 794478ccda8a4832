/** What the API can do with jobs: submit, look up, list, cancel, wait. */
import { AppError, messageOf } from '../lib/app-error.ts';
import { deferred } from '../lib/deferred.ts';
import { after } from '../lib/disposal.ts';
import type { Logger } from '../lib/logger.ts';
import type { Admission } from './intake/admission.ts';
import { IdempotencyKeys, type IdempotencyClaim } from './intake/idempotency.ts';
import { cancelUnstarted, isTerminal, lockKey, transition, type Job } from './model/job.ts';
import { JobEnds } from './store/job-ends.ts';
import { selectJobs, type JobFilter, type JobPage } from './store/job-list.ts';
import type { JobQueue } from './run/job-queue.ts';
import { recoverJob, recoverJobs, type Recovered, type RecoveryDeps } from './run/recovery.ts';
import type { JobRequest } from './model/job-request.ts';
import { repeatRequest } from './intake/repeat-request.ts';
import type { JobStore } from './store/job-store.ts';
import type { Supervisor } from './run/supervisor.ts';

interface JobServiceDeps {
  readonly store: JobStore;
  readonly queue: JobQueue;
  readonly supervisor: Supervisor;
  readonly admission: Admission;
  readonly log: Logger;
}

interface CancelOptions {
  readonly by: string | null;
  readonly force: boolean;
  /** How long the reply may wait for the end. */
  readonly waitMs: number;
}

/** After a disk refused the record of a job that was to start, how long until the next try. */
const startRetryMs = 2_000;

function now(): string {
  return new Date().toISOString();
}

function cleanupsFirst(a: Job, b: Job): number {
  return Number(b.cleanupOf !== null) - Number(a.cleanupOf !== null);
}

export function noSuchJob(id: string): AppError {
  return new AppError('job-not-found', `there is no job ${JSON.stringify(id)}`);
}

export class JobService {
  readonly #deps: JobServiceDeps;
  readonly #admission: Admission;
  /** Nothing starts before it is known what runs already, and that the service itself has started. */
  #isHeld = false;
  /** Starts under way, each until there is a process or it is known that there will be none. */
  readonly #starting = new Set<Promise<void>>();
  readonly idempotency: IdempotencyKeys;
  readonly ends: JobEnds;

  constructor(deps: JobServiceDeps) {
    this.#deps = deps;
    this.#admission = deps.admission;
    this.idempotency = new IdempotencyKeys(deps.store);
    this.ends = new JobEnds(deps.store);
  }

  get store(): JobStore {
    return this.#deps.store;
  }

  /**
   * Checks, records and queues a job.
   * @throws AppError; then nothing was queued.
   */
  async submit(request: JobRequest, requestedBy: string | null, claim?: IdempotencyClaim): Promise<Job> {
    const job = await this.#admission.admit(request, { requestedBy, claim });
    this.#schedule();
    return job;
  }

  /**
   * Submits what a finished job was asked to do once more.
   * @throws AppError `job-not-found`, `job-active`, `topology-not-found`, or as `submit`; then nothing was queued.
   */
  async retry(id: string, requestedBy: string | null, claim?: IdempotencyClaim): Promise<Job> {
    const old = await this.#getFinished(id, 'run again');
    const request = await repeatRequest(old, this.#deps.store.paths(id).topology);
    const job = await this.#admission.admit(request, { requestedBy, claim, retryOf: id });
    this.#schedule();
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

  #schedule(): void {
    while (this.#admission.isOpen && !this.#isHeld) {
      const id = this.#deps.queue.take();
      if (id === undefined) return;
      const started = deferred<void>();
      this.#starting.add(started.promise);
      void started.promise.then(() => this.#starting.delete(started.promise));
      void this.#start(id, started.resolve).finally(started.resolve);
    }
  }

  async #start(id: string, onStarted: () => void): Promise<void> {
    const { store, supervisor, log } = this.#deps;
    let job: Job;
    try {
      // On record before the process exists: whatever happens next, the job is never started a second time.
      job = await store.update(
        id,
        (current) =>
          current.state === 'queued' ? transition(current, 'running', { startedAt: now() }) : current,
        { mustPersist: true },
      );
    } catch (error) {
      log.error('a job cannot be started now, its record cannot be written', {
        job: id,
        cause: messageOf(error),
      });
      after(startRetryMs, () => void this.#putBack(id));
      return;
    }
    if (job.state === 'running') await supervisor.run(job, onStarted);
    this.#release(id);
  }

  async #putBack(id: string): Promise<void> {
    const { store, queue } = this.#deps;
    const job = await store.get(id).catch(() => undefined);
    // In one step: a later job of the same directory must not slip in between.
    queue.release(id);
    if (job?.state === 'queued') queue.add(id, lockKey(job), 'first');
    this.#schedule();
  }

  #release(id: string): void {
    this.#deps.queue.release(id);
    const job = this.#deps.store.summary(id);
    this.#deps.log.info('job finished', { job: id, state: job?.state });
    this.#schedule();
  }

  /** @throws AppError `job-not-found`. */
  async get(id: string): Promise<Job> {
    const job = await this.#deps.store.get(id);
    if (!job) throw noSuchJob(id);
    return job;
  }

  /** A page of jobs, newest first. */
  async list(filter: JobFilter): Promise<JobPage> {
    return selectJobs(this.#deps.store, filter);
  }

  queuePosition(id: string): number | null {
    return this.#deps.queue.position(id);
  }

  /**
   * Cancels a job and waits a moment for its end. The intent is on record before anything is signaled.
   * @returns the job, `canceling` when it takes longer.
   */
  async cancel(id: string, options: CancelOptions): Promise<Job> {
    const { store, queue, supervisor, log } = this.#deps;
    const { by } = options;
    const mustPersist = store.summary(id)?.state === 'queued';
    const job = await store.update(
      id,
      (current) => {
        if (current.state === 'queued') return cancelUnstarted(current, by);
        if (current.state !== 'running') return current;
        return transition(current, 'canceling', {
          stopRequest: current.stopRequest ?? { reason: 'canceled', by, at: now() },
        });
        // What waits must not start after all when the service is started again; what runs must end even on a full disk.
      },
      { mustPersist },
    );
    queue.remove(id);
    if (isTerminal(job.state)) {
      this.#schedule();
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
   * Brings every unfinished job of an earlier service to where it belongs. Call once, before requests come in. What waits
   * goes on waiting until `open`.
   */
  async recover(): Promise<Recovered> {
    const { store, queue } = this.#deps;
    this.#admission.goOnAfter(store.newestId());
    this.idempotency.load(store.summaries());
    this.#isHeld = true;
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
      release: (id) => this.#release(id),
    };
  }

  /** Brings a job that came to light late to where `recover` would have brought it. */
  async #takeBack(job: Job): Promise<void> {
    this.idempotency.load([job]);
    if (isTerminal(job.state) || !this.#admission.isOpen) return;
    if (job.state !== 'queued') {
      await recoverJob(job, this.#recovery());
      return;
    }
    this.#deps.queue.add(job.id, lockKey(job), job.cleanupOf === null ? 'last' : 'first');
    this.#schedule();
  }

  /** Starts what waits, and takes back what the disk did not give before. */
  open(): void {
    this.#isHeld = false;
    this.#deps.store.on('found', (job) => {
      this.#takeBack(job).catch((error: unknown) => {
        this.#deps.log.error('a job cannot be recovered now', { job: job.id, cause: messageOf(error) });
      });
    });
    this.#schedule();
  }

  /**
   * Takes no new jobs and starts none of those that wait. Running ones are left alone. Resolves when each start that was
   * under way has come to its process: a job that is `running` on record without one would be lost.
   */
  async close(): Promise<void> {
    this.#admission.close();
    await Promise.all(this.#starting);
  }

  /** Cancels all that runs and waits until it has ended; what waits in the queue goes on waiting. Call after `close`. */
  async cancelAll(): Promise<void> {
    const running = this.#deps.store.unfinished().filter((job) => job.state !== 'queued');
    await Promise.all(
      running.map(async ({ id }) => {
        await this.cancel(id, { by: 'the shutdown of the service', force: false, waitMs: 60_000 });
      }),
    );
  }
}
