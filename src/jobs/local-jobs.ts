/** The jobs of this machine: clients get views of them, leases and the stop of the service use them directly. */
import { AppError, withWarnings } from '../lib/app-error.ts';
import { Semaphore } from '../lib/async/semaphore.ts';
import type { Logger } from '../lib/logger.ts';
import type { Admission } from './intake/admission.ts';
import type { IdempotencyKeys } from './intake/idempotency.ts';
import { readTopology, repeatRequest } from './intake/repeat-request.ts';
import type { JobChange, JobService, JobSummaryView } from './job-service.ts';
import { jobMatcher, type JobFilter } from './model/job-filter.ts';
import { parseJobRequest } from './model/job-request.ts';
import type { JobView } from './model/job-view.ts';
import { cancelUnstarted, isTerminal, transition, type Job } from './model/job.ts';
import type { BringFiles, LabPort } from './model/lab-port.ts';
import { noSuchJob } from './model/no-such-job.ts';
import type { JobQueue } from './run/job-queue.ts';
import type { Scheduler } from './run/scheduler.ts';
import type { Supervisor } from './run/supervisor.ts';
import { JobEnds } from './store/job-ends.ts';
import { selectJobs } from './store/job-list.ts';
import type { JobStore } from './store/job-store.ts';
import { artifactsOf } from './view/job-artifacts.ts';
import { LogFollowers, openJobLog } from './view/log-followers.ts';
import { isFinal, viewJob } from './view/view-job.ts';

type Origin = Parameters<JobService['submit']>[1];
type Accepted = Awaited<ReturnType<JobService['submit']>>;
type CancelOptions = Parameters<JobService['cancel']>[1];

/** How far the messages to the callback of a job have come; null when there are none. */
export type WebhookOf = (id: string) => JobView['webhook'];

/** A page may have a mebibyte of records: hundreds at once would fill the memory, and delay all other requests. */
const listsAtOnce = 4;

interface LocalJobsDeps {
  readonly store: JobStore;
  readonly queue: JobQueue;
  readonly scheduler: Scheduler;
  readonly supervisor: Supervisor;
  readonly admission: Admission;
  readonly idempotency: IdempotencyKeys;
  readonly lab: LabPort;
  readonly webhookOf: WebhookOf;
  /** The name of this host in its cluster; null for a service that works alone. */
  readonly host: string | null;
  readonly log: Logger;
}

export class LocalJobs implements JobService {
  readonly #deps: LocalJobsDeps;
  readonly #ends: JobEnds;
  readonly #followers: LogFollowers;
  readonly #lists = new Semaphore(listsAtOnce);
  readonly #lastViews = new WeakMap<Job, JobView>();

  constructor(deps: LocalJobsDeps) {
    this.#deps = deps;
    this.#ends = new JobEnds(deps.store);
    this.#followers = new LogFollowers(deps.store);
  }

  async submit(body: unknown, origin: Origin): Promise<Accepted> {
    return this.#once(origin, async () => {
      const request = parseJobRequest(body);
      return this.#deps.admission.admit(request, origin).catch((error: unknown) => {
        throw withWarnings(error, request.warnings);
      });
    });
  }

  async submitTogether(
    bodies: readonly unknown[],
    { requestedBy, scope }: Omit<Origin, 'claim'>,
    bring: BringFiles,
  ): Promise<readonly JobView[]> {
    const requests = bodies.map(parseJobRequest);
    const jobs = await this.#deps.admission.admitTogether(requests, { requestedBy, scope }, bring);
    this.#deps.scheduler.startNext();
    return Promise.all(jobs.map(async (job) => this.#view(job)));
  }

  async retry(id: string, origin: Origin): Promise<Accepted> {
    return this.#once(origin, async () => {
      const { store, admission } = this.#deps;
      const old = await this.#finishedJob(id, 'run again');
      admission.assertRepeatable(old);
      const request = await repeatRequest(old, store.paths(id).topology);
      return admission.admit(request, { ...origin, retryOf: id });
    });
  }

  /** Makes a job and starts it when it is its turn, or finds the job that the same request made before. */
  async #once(origin: Origin, admit: () => Promise<Job>): Promise<Accepted> {
    const make = async (): Promise<Job> => this.#queued(await admit());
    const { job, isReplayed } = origin.claim
      ? await this.#deps.idempotency.once(origin.claim, make)
      : { job: await make(), isReplayed: false };
    return { job: await this.#view(job), isReplayed };
  }

  #queued(job: Job): Job {
    this.#deps.scheduler.startNext();
    return job;
  }

  /** Queues the `down` of a lab whose lease is over. @throws AppError or Error when it cannot be queued. */
  async endLease(up: Parameters<Admission['endLease']>[0]): Promise<Job> {
    return this.#queued(await this.#deps.admission.endLease(up));
  }

  /** Runs `action` while no job is accepted; it must not take long. */
  async whileClosed<T>(action: () => Promise<T>): Promise<T> {
    return this.#deps.admission.whileClosed(action);
  }

  async get(id: string): Promise<JobView> {
    return this.#view(await this.#job(id));
  }

  async wait(id: string, { ms, signal }: Parameters<JobService['wait']>[1]): Promise<JobView> {
    return this.#view(await this.#waitForEnd(id, ms, signal));
  }

  async list(filter: Parameters<JobService['list']>[0]): ReturnType<JobService['list']> {
    return this.#lists.run(async () => {
      const { jobs, nextCursor } = await selectJobs(this.#deps.store, filter);
      return { jobs: await Promise.all(jobs.map(async (job) => this.#view(job))), nextCursor };
    });
  }

  summaries(filter: JobFilter, limit: number): readonly JobSummaryView[] {
    return this.#deps.store.select(jobMatcher(filter), limit);
  }

  summary(id: string): JobSummaryView | undefined {
    return this.#deps.store.summary(id);
  }

  async cancel(id: string, options: CancelOptions): Promise<JobView> {
    const waiting = this.#deps.store.unfinished().filter(({ state }) => state === 'queued');
    const own = await this.#job(id);
    // Of a `down` and the job that it makes room for, what waits is canceled with the other.
    const up = waiting.find((job) => job.id === own.replacedBy);
    const other = up ?? waiting.find(({ replacedBy }) => replacedBy === id);
    // A waiting `down` goes first: if the other one starts in between, the lab is there, and refuses it.
    const isOtherLast = up !== undefined && own.state === 'queued';
    if (other && !isOtherLast && !isTerminal(own.state)) await this.#cancel(other.id, options);
    const job = await this.#cancel(id, options);
    if (isOtherLast) await this.#cancel(up.id, options);
    return this.#view(job);
  }

  /** The intent is on record before anything is signaled. */
  async #cancel(id: string, { by, force, waitMs }: CancelOptions): Promise<Job> {
    const { store, queue, scheduler, supervisor, log } = this.#deps;
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
      scheduler.startNext();
      return job;
    }
    log.info('job is being canceled', { job: id, by, force });
    supervisor.stop(id, { force });
    return this.#waitForEnd(id, waitMs);
  }

  /**
   * Cancels all that runs and waits until it has ended, `waitMs` at most; what waits in the queue goes on waiting. Call
   * when no more jobs are accepted.
   */
  async cancelAll(waitMs = 60_000): Promise<void> {
    const running = this.#deps.store.unfinished().filter((job) => job.state !== 'queued');
    await Promise.all(
      running.map(async ({ id }) => {
        await this.#cancel(id, { by: 'the shutdown of the service', force: false, waitMs });
      }),
    );
  }

  async remove(id: string): Promise<void> {
    await this.#finishedJob(id, 'removed');
    await this.#deps.store.remove(id).catch((error: unknown) => {
      throw new AppError('storage-fault', `the files of ${id} cannot be removed at the moment`, {
        cause: error,
      });
    });
    this.#deps.log.info('job removed', { job: id });
  }

  async openLog(id: string, isFollowed = false): ReturnType<JobService['openLog']> {
    const view = async (job: Job): Promise<JobView> => this.#view(job);
    const deps = { store: this.#deps.store, followers: this.#followers, view };
    return openJobLog(await this.#job(id), deps, isFollowed);
  }

  async topology(id: string): Promise<string> {
    return readTopology(await this.#job(id), this.#deps.store.paths(id).topology);
  }

  async artifacts(id: string): ReturnType<JobService['artifacts']> {
    return artifactsOf(await this.#job(id), this.#deps);
  }

  onChange(listener: (change: JobChange) => void): () => void {
    const { store } = this.#deps;
    const tell = (job: Job, before: Job | undefined): void => {
      listener({ ...job, previousState: before?.state ?? null });
    };
    store.on('change', tell);
    return () => store.off('change', tell);
  }

  async #job(id: string): Promise<Job> {
    const job = await this.#deps.store.get(id);
    if (!job) throw noSuchJob(id);
    return job;
  }

  async #finishedJob(id: string, purpose: string): Promise<Job> {
    const job = await this.#job(id);
    if (isTerminal(job.state)) return job;
    const message = `${id} is ${job.state}: it can be ${purpose} when it has ended`;
    throw new AppError('job-active', message, { extra: { state: job.state } });
  }

  async #waitForEnd(id: string, ms: number, signal?: AbortSignal): Promise<Job> {
    const hasEnded = async (): Promise<boolean> => isTerminal((await this.#job(id)).state);
    await this.#ends.wait(id, hasEnded, { ms, signal });
    return this.#job(id);
  }

  /** The same view for the same record, once nothing of it changes any more (its callback may still): what is made of a view may be kept with it. */
  async #view(job: Job): Promise<JobView> {
    const kept = this.#lastViews.get(job);
    const webhook = this.#deps.webhookOf(job.id);
    if (kept && kept.webhook === webhook) return kept;
    const view = await this.#viewNow(job, webhook);
    if (isFinal(job)) this.#lastViews.set(job, view);
    return view;
  }

  async #viewNow(job: Job, webhook: JobView['webhook']): Promise<JobView> {
    const { store, queue, lab, host } = this.#deps;
    const { log: logPath } = store.paths(job.id);
    const mostLogBytes = store.frozenLogSize(job.id);
    const turn = queue.turnOf(job.id);
    return viewJob(job, { host, logPath, mostLogBytes, nonProgress: lab.nonProgress?.(job), turn, webhook });
  }
}
