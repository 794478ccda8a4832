/** How a request becomes a job: checks, a record on disk, a place in the queue. */
import { randomBytes } from 'node:crypto';
import { AppError, invalidField } from '../lib/app-error.ts';
import { formatDuration } from '../lib/duration.ts';
import { freeDiskBytes } from '../lib/free-disk.ts';
import type { Logger } from '../lib/logger.ts';
import { Mutex } from '../lib/mutex.ts';
import { formatSize } from '../lib/size.ts';
import { lockKey, type Job } from './job.ts';
import type { JobPlan, LabPort } from './lab-port.ts';
import { newJob, type JobOrigin } from './new-job.ts';
import type { JobQueue } from './queue.ts';
import type { JobRequest } from './request.ts';
import type { JobStore } from './store.ts';

export interface JobLimits {
  readonly maxQueuedJobs: number;
  readonly jobTimeoutMs: number;
  readonly minFreeDiskBytes: number;
}

interface AdmissionDeps {
  readonly store: JobStore;
  readonly queue: JobQueue;
  readonly lab: LabPort;
  readonly limits: JobLimits;
  readonly log: Logger;
}

export class Admission {
  readonly #deps: AdmissionDeps;
  /** One at a time: the checks and the place in the queue belong together. */
  readonly #turn = new Mutex();
  #lastIdMs = 0;
  #isOpen = true;

  constructor(deps: AdmissionDeps) {
    this.#deps = deps;
  }

  /** Whether new jobs are taken. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Takes no new jobs from now on. */
  close(): void {
    this.#isOpen = false;
  }

  /** Ids go on after that of the newest job there is. */
  goOnAfter(newestId: string | undefined): void {
    this.#lastIdMs = Number(newestId?.split('-')[1] ?? 0);
  }

  /**
   * Checks, records and queues a job.
   * @throws AppError; then nothing was queued.
   */
  async admit(request: JobRequest, origin: JobOrigin): Promise<Job> {
    this.#assertOpen();
    const timeoutMs = this.#timeoutOf(request);
    const plan = await this.#deps.lab.plan(request);
    await this.#assertDiskSpace();
    return this.#turn.run(async () => {
      this.#assertOpen();
      this.#assertRoom(request, plan);
      const id = this.#newId();
      const savedTopologyPath = this.#deps.store.paths(id).topology;
      const job = newJob(id, request, { ...plan, savedTopologyPath }, { ...origin, timeoutMs });
      await this.#deps.store.create(job, plan.topologyText);
      this.#deps.queue.add(job.id, lockKey(job));
      const { action, workdir, requestedBy } = job;
      this.#deps.log.info('job queued', { job: id, action, workdir, requestedBy });
      return job;
    });
  }

  #assertOpen(): void {
    if (this.#isOpen) return;
    throw new AppError('shutting-down', 'the service is shutting down and takes no new jobs', {
      retryAfterSeconds: 10,
    });
  }

  #timeoutOf(request: JobRequest): number {
    const maximum = this.#deps.limits.jobTimeoutMs;
    const wanted = request.timeoutSeconds === undefined ? maximum : Math.ceil(request.timeoutSeconds * 1000);
    if (wanted <= maximum) return wanted;
    throw invalidField(
      'timeoutSeconds',
      `must not be over ${maximum / 1000} (${formatDuration(maximum)}), the limit of this server`,
    );
  }

  async #assertDiskSpace(): Promise<void> {
    const free = await freeDiskBytes(this.#deps.store.directory);
    const floor = this.#deps.limits.minFreeDiskBytes;
    if (free === undefined || free >= floor) return;
    const message = `only ${formatSize(free)} are free for jobs, less than the floor of ${formatSize(floor)}`;
    throw new AppError('disk-full', message, { retryAfterSeconds: 60 });
  }

  #assertRoom(request: JobRequest, plan: JobPlan): void {
    const { queue, limits } = this.#deps;
    if (queue.waitingCount >= limits.maxQueuedJobs) {
      throw new AppError('queue-full', `${queue.waitingCount} jobs are waiting already; try again later`, {
        retryAfterSeconds: 10,
      });
    }
    const lock = lockKey({ action: request.action, workdir: plan.workdir });
    const holder = lock === null ? undefined : queue.holderOf(lock);
    if (request.onConflict === 'reject' && holder !== undefined) {
      throw new AppError('workdir-busy', `the working directory ${plan.workdir} is busy with ${holder}`, {
        extra: { conflictingJobId: holder },
        retryAfterSeconds: 10,
      });
    }
  }

  /** `job-<epoch ms>-<6 hex>`; the milliseconds only ever grow, so ids sort in the order of admission. */
  #newId(): string {
    this.#lastIdMs = Math.max(Date.now(), this.#lastIdMs + 1);
    return `job-${this.#lastIdMs}-${randomBytes(3).toString('hex')}`;
  }
}
