/** How a request becomes a job: checks, a record on disk, a place in the queue. */
import { randomBytes } from 'node:crypto';
import { AppError, invalidField, messageOf } from '../../lib/app-error.ts';
import { formatDuration } from '../../lib/text/duration.ts';
import { freeDiskBytes } from '../../lib/files/free-disk.ts';
import type { Logger } from '../../lib/logger.ts';
import { Mutex } from '../../lib/async/mutex.ts';
import { formatSize } from '../../lib/text/size.ts';
import { specOf } from '../../labs/model/actions.ts';
import type { FindStart } from '../../labs/model/command-record.ts';
import { lockKey, type Job } from '../model/job.ts';
import type {
  FreeIdPort,
  JobPlan,
  LabPort,
  LeasePort,
  QuotaJob,
  SourceWish,
  TakenId,
} from '../model/lab-port.ts';
import { findStartIn } from './last-start.ts';
import { newJob, type JobOrigin } from './new-job.ts';
import { withSourceFiles, type Admit, type Prepared, type Source } from './source-files.ts';
import type { JobQueue } from '../run/job-queue.ts';
import { autoWorkspace } from '../model/job-request-rules.ts';
import { parseJobRequest, type JobRequest } from '../model/job-request.ts';
import type { JobStore } from '../store/job-store.ts';

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
  /** Checks a `callbackUrl`, and gives warnings. @throws AppError. */
  readonly checkCallback: (url: string) => Promise<readonly string[]>;
  readonly freeIds: FreeIdPort;
  readonly leases: LeasePort;
}

/** Where a new job stands in the queue, and what it needs besides its plan. */
interface Entry extends JobOrigin {
  readonly timeoutMs: number;
  readonly place: 'first' | 'last';
  readonly takenId?: TakenId | undefined;
  /** When it was given out before. */
  readonly id?: string | undefined;
  readonly ttlMs?: number | null;
  readonly nodeCount?: number | null;
}

async function unlimited<T>(record: () => Promise<T>): Promise<T> {
  return record();
}

function quotaJobOf(
  { action, options }: JobRequest,
  { workdir }: JobPlan,
  { requestedBy, nodeCount }: Pick<QuotaJob, 'requestedBy' | 'nodeCount'>,
): QuotaJob {
  return { action, workdir, requestedBy, nodeCount, isDryRun: options.dryRun === true };
}

export class Admission {
  readonly #deps: AdmissionDeps;
  readonly #findStart: FindStart;
  /** One request at a time: two that find room for one more job must not both take it. */
  readonly #turn = new Mutex();
  #lastIdMs = 0;
  #isOpen = true;

  constructor(deps: AdmissionDeps) {
    this.#deps = deps;
    this.#findStart = findStartIn(deps.store);
  }

  /** Whether new jobs are taken. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Takes no new jobs from now on. */
  close(): void {
    this.#isOpen = false;
  }

  /** @throws AppError `lab-cli-missing`. */
  assertRepeatable({ cli }: Pick<Job, 'cli'>): void {
    this.#deps.lab.assertThere?.(cli);
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
    if (request.source !== undefined) return this.#admitFrom(request.source, request, origin);
    // The plan of the job needs the name of the workspace.
    if (request.workspace !== autoWorkspace) return this.#admit(request, origin);
    const id = this.#newId();
    return this.#admit({ ...request, workspace: id }, origin, { id }).catch((error: unknown) => {
      if (!(error instanceof AppError) || error.code !== 'workspace-not-found') throw error;
      const advice = 'give "topology", "topologyUrl", "topologyPath" or "source"';
      throw invalidField('workspace', `"auto" is for jobs that start a lab from a topology: ${advice}`);
    });
  }

  async #admitFrom(source: Source, request: JobRequest, origin: JobOrigin): Promise<Job> {
    this.#timeoutOf(request);
    this.#deps.leases.ttlMsOf(request, origin.scope?.quota?.maxLeaseMs());
    const check: SourceWish['check'] = (place) => this.#assertInScope(request, place, origin);
    const asked = { request, source, origin, check, newId: () => this.#newId() };
    const admit: Admit = async (placed, prepared) => this.#admit(placed, origin, prepared);
    return withSourceFiles(this.#deps.lab, asked, admit);
  }

  async #admit(request: JobRequest, origin: JobOrigin, prepared: Prepared = {}): Promise<Job> {
    const { id, source, warnings = [] } = prepared;
    const timeoutMs = this.#timeoutOf(request);
    const quota = origin.scope?.quota;
    const ttlMs = this.#deps.leases.ttlMsOf(request, quota?.maxLeaseMs());
    const { callbackUrl } = request;
    const callbackWarnings = callbackUrl === undefined ? [] : await this.#deps.checkCallback(callbackUrl);
    const planned = await this.#deps.lab.plan(request, origin.scope, this.#findStart);
    const plan: JobPlan = {
      ...planned,
      ...(source && { source }),
      warnings: [...warnings, ...planned.warnings, ...callbackWarnings],
    };
    await this.#assertDiskSpace();
    const nodeCount = quota?.countsNodes() && plan.countNodes ? await plan.countNodes() : null;
    const job = quotaJobOf(request, plan, { ...origin, nodeCount });
    const inQuota = (await quota?.check(job)) ?? unlimited;
    // Not in turn: it may take a run of the lab CLI, and other requests must not wait for that.
    const takenId = plan.takesFreeId ? await this.#deps.freeIds.take(plan.cli, plan.workdir) : undefined;
    try {
      return await this.#turn.run(async () => {
        this.#assertOpen();
        this.#assertInScope(request, plan, origin);
        this.#assertRoom(request, plan);
        return inQuota(async () => {
          // In the same turn: the workspace cannot be removed before the job that protects it is on record.
          const { workspace } = plan;
          if (request.workspace !== undefined && workspace !== null) {
            await this.#deps.lab.makeWorkspace(workspace, origin.requestedBy);
            // Another request may have made it in this moment.
            this.#assertInScope(request, plan, origin);
          }
          const entry = { ...origin, timeoutMs, place: 'last', takenId, ttlMs, id, nodeCount } as const;
          return this.#record(request, plan, entry);
        });
      });
    } catch (error) {
      await takenId?.giveBack();
      throw error;
    }
  }

  /** Runs `action` while no job is accepted; it must not take long. */
  async whileClosed<T>(action: () => Promise<T>): Promise<T> {
    return this.#turn.run(action);
  }

  /**
   * Queues the `down` that takes away what is left of an `up` that failed or was ended half-way: before everything else that
   * waits for the directory, and whatever the limits say, for the directory is of no use until then. Called before the
   * `up` is terminal on record, so that no crash loses it; and after a crash again, when it finds the job that it made.
   * @returns its id, or null when it cannot be queued.
   */
  async cleanUp(up: Job): Promise<string | null> {
    const { store, log } = this.#deps;
    const earlier = store.summaries().find(({ cleanupOf }) => cleanupOf === up.id);
    if (earlier) return earlier.id;
    try {
      const origin = { requestedBy: up.requestedBy, cleanupOf: up.id };
      return (await this.#takeDown(up, { ...origin, place: 'first' })).id;
    } catch (error) {
      log.error('the "down" after a canceled "up" cannot be queued', { job: up.id, cause: messageOf(error) });
      return null;
    }
  }

  /**
   * Queues the `down` of a lab whose lease is over: behind what waits for its directory already, and whatever the limits say,
   * for it makes room.
   * @throws AppError or Error when it cannot be queued.
   */
  async endLease(up: Pick<Job, 'id' | 'action' | 'workdir' | 'labels' | 'cli'>): Promise<Job> {
    this.#assertOpen();
    return this.#takeDown(up, { requestedBy: null, leaseOf: up.id, place: 'last' });
  }

  async #takeDown(
    { action, workdir, labels, cli }: Pick<Job, 'action' | 'workdir' | 'labels' | 'cli'>,
    origin: Omit<Entry, 'timeoutMs'>,
  ): Promise<Job> {
    const request = parseJobRequest({ ...specOf(action).cleanedUpBy, workdir, labels });
    this.#deps.lab.assertThere?.(cli);
    // The lab is that of its lab CLI, also when nothing lists it yet.
    const ofCli = { ...request, ...(cli !== null && { cli }) };
    const plan = await this.#deps.lab.plan(ofCli, undefined, this.#findStart);
    if (plan.workdir !== workdir) throw new Error(`${workdir} leads to ${plan.workdir} now`);
    return this.#record(request, plan, { ...origin, timeoutMs: this.#deps.limits.jobTimeoutMs });
  }

  async #record(
    request: JobRequest,
    plan: JobPlan,
    { place, takenId, ttlMs = null, id = this.#newId(), nodeCount = null, ...origin }: Entry,
  ): Promise<Job> {
    const savedTopologyPath = this.#deps.store.paths(id).topology;
    const job = newJob(id, request, { ...plan, savedTopologyPath, freeId: takenId?.id, nodeCount }, origin);
    // The id and the lease are on disk before the record, so that a crash does not lose them; without a job they do no harm.
    await takenId?.bindTo(id);
    if (ttlMs !== null) await this.#deps.leases.expect(job, ttlMs);
    await this.#deps.store.create(job, plan.topologyText).catch((error: unknown) => {
      this.#deps.leases.forget(id);
      throw error;
    });
    takenId?.keep();
    this.#deps.queue.add(id, lockKey(job), place);
    const { action, workdir, requestedBy } = job;
    this.#deps.log.info('job queued', { job: id, action, workdir, requestedBy });
    return job;
  }

  #assertOpen(): void {
    if (this.#isOpen) return;
    throw new AppError('shutting-down', 'the service is shutting down and takes no new jobs', {
      retryAfterSeconds: 10,
    });
  }

  #assertInScope(
    { action }: JobRequest,
    { workdir, workspace }: Pick<JobPlan, 'workdir' | 'workspace'>,
    { scope }: JobOrigin,
  ): void {
    if (scope === undefined) return;
    const others = this.#deps.store.unfinished().filter((job) => job.workdir === workdir);
    scope.check({ action, workdir, workspace }, others);
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
