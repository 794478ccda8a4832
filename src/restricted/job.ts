/** One job as a user may have it: everything that HTTP may ask of it or do to it. `UserJobs.find` is the way to it. */
import type { JobService } from '../jobs/job-service.ts';
import type { JobScope } from '../jobs/model/lab-port.ts';
import type { JobView } from '../jobs/model/job-view.ts';

type Options<Method extends keyof JobService> = Parameters<JobService[Method]>[1];

interface JobDeps {
  readonly jobs: JobService;
  /** As the look-up has read it, where it read the job. */
  readonly found: JobView | undefined;
  /** Limits what another job of the user may use; undefined without a limit. */
  readonly scope: JobScope | undefined;
  /** Throws an error of a submission as the user may have it. */
  readonly rethrow: (error: unknown) => never;
}

export class Job {
  readonly id: string;
  readonly #jobs: JobService;
  readonly #found: JobView | undefined;
  readonly #scope: JobScope | undefined;
  readonly #rethrow: JobDeps['rethrow'];

  constructor(id: string, { jobs, found, scope, rethrow }: JobDeps) {
    this.id = id;
    this.#jobs = jobs;
    this.#found = found;
    this.#scope = scope;
    this.#rethrow = rethrow;
  }

  /** The job as it was when the request came. */
  async view(): Promise<JobView> {
    return this.#found ?? this.#jobs.get(this.id);
  }

  /** @throws AppError `job-not-found` for a job that was removed since the request came. */
  async assertStillThere(): Promise<void> {
    await this.#jobs.get(this.id);
  }

  /** The job as soon as it has ended, or as it is when the time is up. */
  async wait(options: Options<'wait'>): Promise<JobView> {
    return this.#jobs.wait(this.id, options);
  }

  async cancel(options: Options<'cancel'>): Promise<JobView> {
    return this.#jobs.cancel(this.id, options);
  }

  /** Submits its request once more. */
  async retry(origin: Options<'retry'>): ReturnType<JobService['retry']> {
    return this.#jobs.retry(this.id, { ...origin, scope: this.#scope }).catch(this.#rethrow);
  }

  async remove(): Promise<void> {
    await this.#jobs.remove(this.id);
  }

  async openLog(isFollowed: boolean): ReturnType<JobService['openLog']> {
    return this.#jobs.openLog(this.id, isFollowed);
  }

  async topology(): Promise<string> {
    return this.#jobs.topology(this.id);
  }

  async artifacts(): ReturnType<JobService['artifacts']> {
    return this.#jobs.artifacts(this.id);
  }
}
