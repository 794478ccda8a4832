/** The jobs of this machine as clients see them. */
import { withWarnings } from '../lib/app-error.ts';
import { Semaphore } from '../lib/async/semaphore.ts';
import type { JobChange, JobService, JobSummaryView } from './job-service.ts';
import type { LocalJobs } from './local-jobs.ts';
import { jobMatcher, type JobFilter } from './model/job-filter.ts';
import type { Job } from './model/job.ts';
import { parseJobRequest } from './model/job-request.ts';
import type { JobView } from './model/job-view.ts';
import type { LabPort } from './model/lab-port.ts';
import { selectJobs } from './store/job-list.ts';
import type { JobStore } from './store/job-store.ts';
import { LogFollowers, openJobLog } from './view/log-followers.ts';
import { artifactsOf } from './view/job-artifacts.ts';
import { isFinal, viewJob } from './view/view-job.ts';

type Origin = Parameters<JobService['submit']>[1];
type Accepted = Awaited<ReturnType<JobService['submit']>>;

/** How far the messages to the callback of a job have come; null when there are none. */
export type WebhookOf = (id: string) => JobView['webhook'];

/** A page may have a mebibyte of records: hundreds at once would fill the memory, and delay all other requests. */
const listsAtOnce = 4;

interface LocalJobServiceDeps {
  readonly jobs: LocalJobs;
  readonly store: JobStore;
  readonly lab: LabPort;
  readonly webhookOf: WebhookOf;
  /** The name of this host in its cluster; null for a service that works alone. */
  readonly host: string | null;
}

export class LocalJobService implements JobService {
  readonly #jobs: LocalJobs;
  readonly #store: JobStore;
  readonly #lab: LabPort;
  readonly #webhookOf: WebhookOf;
  readonly #host: string | null;
  readonly #followers: LogFollowers;
  readonly #lists = new Semaphore(listsAtOnce);
  readonly #lastViews = new WeakMap<Job, JobView>();

  constructor({ jobs, store, lab, webhookOf, host }: LocalJobServiceDeps) {
    this.#jobs = jobs;
    this.#store = store;
    this.#lab = lab;
    this.#webhookOf = webhookOf;
    this.#host = host;
    this.#followers = new LogFollowers(store);
  }

  async submit(body: unknown, origin: Origin): Promise<Accepted> {
    return this.#once(origin, async () => {
      const request = parseJobRequest(body);
      return this.#jobs.submit(request, origin).catch((error: unknown) => {
        throw withWarnings(error, request.warnings);
      });
    });
  }

  async retry(id: string, origin: Origin): Promise<Accepted> {
    return this.#once(origin, async () => this.#jobs.retry(id, origin));
  }

  /** Makes a job, or finds that which the same request made before. */
  async #once(origin: Origin, make: () => Promise<Job>): Promise<Accepted> {
    const { job, isReplayed } = origin.claim
      ? await this.#jobs.idempotency.once(origin.claim, async () => make())
      : { job: await make(), isReplayed: false };
    return { job: await this.#view(job), isReplayed };
  }

  async get(id: string): Promise<JobView> {
    return this.#view(await this.#jobs.get(id));
  }

  async wait(id: string, { ms, signal }: Parameters<JobService['wait']>[1]): Promise<JobView> {
    return this.#view(await this.#jobs.waitForEnd(id, ms, signal));
  }

  async list(filter: Parameters<JobService['list']>[0]): ReturnType<JobService['list']> {
    return this.#lists.run(async () => {
      const { jobs, nextCursor } = await selectJobs(this.#store, filter);
      return { jobs: await Promise.all(jobs.map(async (job) => this.#view(job))), nextCursor };
    });
  }

  summaries(filter: JobFilter, limit: number): readonly JobSummaryView[] {
    return this.#store.select(jobMatcher(filter), limit);
  }

  async cancel(id: string, options: Parameters<JobService['cancel']>[1]): Promise<JobView> {
    return this.#view(await this.#jobs.cancel(id, options));
  }

  async remove(id: string): Promise<void> {
    await this.#jobs.remove(id);
  }

  async openLog(id: string): ReturnType<JobService['openLog']> {
    const view = async (job: Job): Promise<JobView> => this.#view(job);
    return openJobLog(await this.#jobs.get(id), { store: this.#store, followers: this.#followers, view });
  }

  async artifacts(id: string): ReturnType<JobService['artifacts']> {
    return artifactsOf(await this.#jobs.get(id), { store: this.#store, lab: this.#lab });
  }

  onChange(listener: (change: JobChange) => void): () => void {
    const tell = (job: Job, before: Job | undefined): void => {
      listener({ ...job, previousState: before?.state ?? null });
    };
    this.#store.on('change', tell);
    return () => this.#store.off('change', tell);
  }

  /** The same view for the same record, once nothing of it changes any more (its callback may still): what is made of a view may be kept with it. */
  async #view(job: Job): Promise<JobView> {
    const kept = this.#lastViews.get(job);
    const webhook = this.#webhookOf(job.id);
    if (kept && kept.webhook === webhook) return kept;
    const view = await this.#viewNow(job, webhook);
    if (isFinal(job)) this.#lastViews.set(job, view);
    return view;
  }

  async #viewNow(job: Job, webhook: JobView['webhook']): Promise<JobView> {
    const { log: logPath } = this.#store.paths(job.id);
    const mostLogBytes = this.#store.frozenLogSize(job.id);
    const turn = this.#jobs.turnOf(job.id);
    const nonProgress = this.#lab.nonProgress?.(job);
    return viewJob(job, { host: this.#host, logPath, mostLogBytes, nonProgress, turn, webhook });
  }
}
