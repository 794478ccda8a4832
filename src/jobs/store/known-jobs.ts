import { LruCache } from '../../lib/cache/lru-cache.ts';
import { isTerminal, type Job } from '../model/job.ts';
import { jobPaths } from './job-files.ts';
import { JobIndex } from './job-index.ts';
import { isFinished, summarize, type JobSummary } from './job-summary.ts';

/** A few megabytes as a rule. Long records are not kept (`job-reader.ts`). */
const recordsKept = 1_000;

/** The jobs in memory: a summary of every job, unfinished jobs whole, and finished jobs that were read lately. */
export class KnownJobs {
  readonly #jobsDirectory: string;
  readonly #index = new JobIndex();
  readonly #unfinished = new Map<string, Job>();
  /** Clients that watch jobs request the same page again and again. */
  readonly #readLately = new LruCache<Job>(recordsKept);

  constructor(jobsDirectory: string) {
    this.#jobsDirectory = jobsDirectory;
  }

  /** The whole job, when it is in memory. */
  get(id: string): Job | undefined {
    return this.#unfinished.get(id) ?? this.#readLately.get(id);
  }

  summary(id: string): JobSummary | undefined {
    return this.#index.get(id);
  }

  /** Every job in the order of creation; a copy. */
  summaries(): JobSummary[] {
    return this.#index.all();
  }

  /** Jobs that match, newest first, at most `limit`, with ids below `before`. */
  select(matches: (summary: JobSummary) => boolean, limit: number, before?: string): JobSummary[] {
    return this.#index.select(matches, limit, before);
  }

  finished(): JobSummary[] {
    return this.#index.all().filter(isFinished);
  }

  /** Unfinished jobs in the order of creation. */
  unfinished(): Job[] {
    return [...this.#unfinished.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
  }

  newestId(): string | undefined {
    return this.#index.newest()?.id;
  }

  /** As `set` would note it. */
  summarize(job: Job): JobSummary {
    return summarize(job, jobPaths(this.#jobsDirectory, job.id));
  }

  /** Notes a job, or what became of it. */
  set(job: Job): JobSummary {
    const summary = this.summarize(job);
    this.#readLately.delete(job.id);
    this.#index.set(summary);
    if (isTerminal(job.state)) this.#unfinished.delete(job.id);
    else this.#unfinished.set(job.id, job);
    return summary;
  }

  /** Notes a finished job by its summary alone. */
  setSummary(summary: JobSummary): void {
    this.#index.set(summary);
  }

  /** Keeps the whole of a finished job for a while, for those who ask for it again. */
  keep(job: Job): void {
    this.#readLately.set(job.id, job);
  }

  /** Forgets a finished job; whether it was known. */
  delete(id: string): boolean {
    this.#readLately.delete(id);
    return this.#index.delete(id);
  }
}
