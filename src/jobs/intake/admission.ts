/** How a request becomes a job: checks, a record on disk, a place in the queue. */
import { AppError, invalidField, messageOf } from '../../lib/app-error.ts';
import type { Logger } from '../../lib/logger.ts';
import { Mutex } from '../../lib/async/mutex.ts';
import { specOf } from '../../labs/model/actions.ts';
import { lockKey, type Job } from '../model/job.ts';
import type { BringFiles, FreeIdPort, JobPlan, LabPort, LeasePort, SourceWish } from '../model/lab-port.ts';
import { assertDiskSpace } from './disk-space.ts';
import { findStartIn } from './last-start.ts';
import { quotaJobOf, unlimited, type Entry, type Planned, type Prepared } from './entry.ts';
import { JobIds } from './job-ids.ts';
import { planDown, planRoom, type Planning } from './make-room.ts';
import { newJob, type JobOrigin } from './new-job.ts';
import { withSourceFiles, type FromSource, type Source } from './source-files.ts';
import { assertInScope, assertRoom } from './turn-checks.ts';
import { timeoutOf } from './timeout-of.ts';
import { Together } from './together.ts';
import type { JobQueue } from '../run/job-queue.ts';
import { autoWorkspace } from '../model/job-request-rules.ts';
import type { JobRequest } from '../model/job-request.ts';
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

export class Admission {
  readonly #deps: AdmissionDeps;
  readonly #together: Together;
  readonly #planning: Planning;
  /** One request at a time: two that find room for one more job must not both take it. */
  readonly #turn = new Mutex();
  readonly #ids = new JobIds();
  #isOpen = true;

  constructor(deps: AdmissionDeps) {
    this.#deps = deps;
    this.#planning = { lab: deps.lab, findStart: findStartIn(deps.store) };
    this.#together = new Together(deps.store, deps.log);
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
    this.#ids.goOnAfter(newestId);
  }

  /**
   * Checks, records and queues a job.
   * @throws AppError; then nothing was queued.
   */
  async admit(request: JobRequest, origin: JobOrigin): Promise<Job> {
    this.#assertOpen();
    if (request.source !== undefined) return this.#admitFrom(request.source, request, origin);
    // The plan of the job needs the name of the workspace.
    if (request.workspace !== autoWorkspace) return this.#admit(origin, request);
    const id = this.#ids.next();
    return this.#admit(origin, { ...request, workspace: id }, { id }).catch((error: unknown) => {
      if (!(error instanceof AppError) || error.code !== 'workspace-not-found') throw error;
      const advice = 'give "topology", "topologyUrl", "topologyPath" or "source"';
      throw invalidField('workspace', `"auto" is for jobs that start a lab from a topology: ${advice}`);
    });
  }

  async #admitFrom(source: Source, request: JobRequest, origin: JobOrigin): Promise<Job> {
    timeoutOf(request, this.#deps.limits.jobTimeoutMs);
    this.#deps.leases.ttlMsOf(request, origin.scope?.quota?.maxLeaseMs());
    const { action } = request;
    const check: SourceWish['check'] = (place) =>
      assertInScope({ ...place, action }, origin, this.#deps.store);
    const asked = { request, source, origin, check, newId: () => this.#ids.next() };
    return withSourceFiles(this.#deps.lab, asked, async (...placed) => this.#admit(origin, ...placed));
  }

  /**
   * The same for several: all of them, or none, also if the service is killed meanwhile. Each names its workspace, which is there
   * when `bring` has resolved. @throws AppError; then nothing was queued.
   */
  async admitTogether(
    requests: readonly JobRequest[],
    origin: JobOrigin,
    bring: BringFiles,
  ): Promise<readonly Job[]> {
    this.#assertOpen();
    const prepared: Prepared[] = [];
    const ids = requests.map(() => this.#ids.next());
    try {
      await bring(ids);
      for (const request of requests) prepared.push(await this.#prepare(request, origin));
      return await this.#turn.run(async () => {
        this.#assertOpen();
        for (const one of prepared) this.#assertInScope(one, origin);
        for (const [ahead, one] of prepared.entries()) assertRoom(one, { ...this.#deps, ahead });
        return this.#recordAll(ids, async () => {
          const jobs: Job[] = [];
          for (const [at, one] of prepared.entries()) {
            const entry = { ...one, ...origin, place: 'last', id: ids[at] } as const;
            jobs.push(await one.inQuota(async () => this.#write(one, entry)));
          }
          return jobs;
        });
      });
    } catch (error) {
      for (const { takenId } of prepared) await takenId?.giveBack();
      throw error;
    }
  }

  /** The slow part, before the turn in which the job is recorded. The caller gives `takenId` back. */
  async #prepare(
    request: JobRequest,
    origin: JobOrigin,
    { source, warnings = [] }: FromSource = {},
  ): Promise<Prepared> {
    const timeoutMs = timeoutOf(request, this.#deps.limits.jobTimeoutMs);
    const quota = origin.scope?.quota;
    const ttlMs = this.#deps.leases.ttlMsOf(request, quota?.maxLeaseMs());
    const { callbackUrl } = request;
    const callbackWarnings = callbackUrl === undefined ? [] : await this.#deps.checkCallback(callbackUrl);
    const planned = await this.#deps.lab.plan(request, origin.scope, this.#planning.findStart);
    const plan: JobPlan = {
      ...planned,
      ...(source && { source }),
      warnings: [...warnings, ...planned.warnings, ...callbackWarnings],
    };
    await assertDiskSpace(this.#deps.store.directory, this.#deps.limits.minFreeDiskBytes);
    const nodeCount = quota?.countsNodes() && plan.countNodes ? await plan.countNodes() : null;
    const job = quotaJobOf(request, plan, { ...origin, nodeCount });
    const inQuota = (await quota?.check(job)) ?? unlimited;
    // Not in turn: it may take a run of the lab CLI, and other requests must not wait for that.
    const takenId = plan.takesFreeId ? await this.#deps.freeIds.take(plan.cli, plan.workdir) : undefined;
    return { request, plan, timeoutMs, ttlMs, takenId, nodeCount, inQuota };
  }

  async #admit(origin: JobOrigin, asked: JobRequest, from: FromSource = {}): Promise<Job> {
    const prepared = await this.#prepare(asked, origin, from);
    const { request, plan, takenId } = prepared;
    try {
      // A job with an id has a workspace of its own, or files that come to a workspace without a lab.
      const down =
        from.id === undefined ? await planRoom(prepared, { ...this.#planning, ...origin }) : undefined;
      return await this.#turn.run(async () => {
        this.#assertOpen();
        this.#assertInScope(prepared, origin);
        assertRoom(prepared, { ...this.#deps, ahead: down ? 1 : 0 });
        return prepared.inQuota(async () => {
          // In the same turn: the workspace cannot be removed before the job that protects it is on record.
          const { workspace } = plan;
          if (request.workspace !== undefined && workspace !== null) {
            await this.#deps.lab.makeWorkspace(workspace, origin.requestedBy);
            // Another request may have made it in this moment.
            this.#assertInScope(prepared, origin);
          }
          const entry = { ...prepared, ...origin, place: 'last', id: from.id } as const;
          return down ? this.#recordBehind(down, prepared, entry) : this.#record(prepared, entry);
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
    this.#deps.lab.assertThere?.(cli);
    const down = await planDown({ ...specOf(action).cleanedUpBy }, { workdir, labels, cli }, this.#planning);
    return this.#record(down, { ...origin, timeoutMs: this.#deps.limits.jobTimeoutMs });
  }

  /** Records a job behind the `down` that makes room for it: both, or neither. */
  async #recordBehind(down: Planned, up: Planned, entry: Entry): Promise<Job> {
    const [downId, id] = [this.#ids.next(), this.#ids.next()];
    const { requestedBy, place } = entry;
    const timeoutMs = this.#deps.limits.jobTimeoutMs;
    const first = { requestedBy, place, timeoutMs, id: downId, replacedBy: id };
    const record = async () =>
      [await this.#write(down, first), await this.#write(up, { ...entry, id })] as const;
    const [, job] = await this.#recordAll([downId, id], record);
    return job;
  }

  async #recordAll<T extends readonly Job[]>(ids: readonly string[], record: () => Promise<T>): Promise<T> {
    try {
      const jobs = await this.#together.record(ids, record);
      for (const job of jobs) this.#enqueue(job, 'last');
      return jobs;
    } catch (error) {
      for (const id of ids) this.#deps.leases.forget(id);
      throw error;
    }
  }

  async #record(planned: Planned, entry: Entry): Promise<Job> {
    const job = await this.#write(planned, entry);
    this.#enqueue(job, entry.place);
    return job;
  }

  async #write(
    { request, plan }: Planned,
    { takenId, ttlMs = null, id = this.#ids.next(), nodeCount = null, ...origin }: Entry,
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
    return job;
  }

  #enqueue(job: Job, place: Entry['place']): void {
    const { id, action, workdir, requestedBy } = job;
    this.#deps.queue.add(id, lockKey(job), place);
    this.#deps.log.info('job queued', { job: id, action, workdir, requestedBy });
  }

  #assertOpen(): void {
    if (this.#isOpen) return;
    throw new AppError('shutting-down', 'the service is shutting down and takes no new jobs', {
      retryAfterSeconds: 10,
    });
  }

  #assertInScope({ request: { action }, plan }: Planned, origin: JobOrigin): void {
    assertInScope({ ...plan, action }, origin, this.#deps.store);
  }
}
