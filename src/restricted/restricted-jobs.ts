import path from 'node:path';
import type { JobChange, JobService } from '../jobs/job-service.ts';
import { noSuchJob } from '../jobs/model/no-such-job.ts';
import type { JobFilter } from '../jobs/model/job-filter.ts';
import type { JobScope, PlannedJob } from '../jobs/model/job-scope.ts';
import type { Job } from '../jobs/model/job.ts';
import type { JobView } from '../jobs/model/job-view.ts';
import { specOf } from '../labs/model/actions.ts';
import { isInside } from '../lib/files/path-inside.ts';
import { AppError, fieldError } from '../lib/app-error.ts';
import type { Machine } from './machine.ts';
import type { UserAccess } from './user-access.ts';
import { withoutOutput } from './without-output.ts';

type Origin = Parameters<JobService['submit']>[1];

/** What may be used for a new job. */
function scopeOf(sight: UserAccess, { workspaces }: Machine): JobScope {
  const assertOwnPlace = ({ workdir, workspace }: PlannedJob, others: readonly Job[]): void => {
    const place = workspace === null ? undefined : sight.workspace(workspace);
    if (place) sight.assertMayChange(place, `the workspace "${workspace}"`);
    const allWorkspaces = path.dirname(workspaces.directoryOf('one'));
    if (isInside(workdir, allWorkspaces)) sight.assertMayChange(sight.place(workdir), workdir);
    // What a job makes may lie below its directory.
    for (const lab of sight.labsIn(workdir)) sight.assertMayChange(lab, `the lab in ${lab.directory}`);
    // The service itself ends leases, and whose the lab is was looked at.
    for (const job of others.filter(({ leaseOf }) => leaseOf === null))
      sight.assertMayChange(sight.jobResource(job), `what the job ${job.id} does in ${workdir}`);
  };
  return {
    allows: (realPath) => sight.mayUse(realPath),
    mayNameUnknown: !sight.isNarrowed && !sight.isStrict,
    check: (planned, others) => {
      const { action, workdir, workspace } = planned;
      sight.assertLoggedIn();
      const isToBeMade = workspace !== null && !workspaces.isTaken(workspace);
      if (!isToBeMade && !sight.mayUse(workdir))
        throw fieldError(
          'forbidden-path',
          'workdir',
          'must lie inside one of the directories that you may use',
        );
      if (!specOf(action).locksWorkdir && sight.isNarrowed)
        throw new AppError(
          'forbidden',
          `"${action}" prints what there is of all labs: use GET /labs instead`,
        );
      if (specOf(action).locksWorkdir && sight.isStrict) assertOwnPlace(planned, others);
    },
  };
}

/** The jobs that one user may see, and what he may do with them. The others are not there. */
export class RestrictedJobs implements JobService {
  readonly #jobs: JobService;
  readonly #sight: UserAccess;
  readonly #scope: JobScope;

  constructor(parts: Machine, sight: UserAccess) {
    this.#jobs = parts.jobs;
    this.#sight = sight;
    this.#scope = scopeOf(sight, parts);
  }

  async submit(body: unknown, origin: Origin): ReturnType<JobService['submit']> {
    return this.#jobs.submit(body, { ...origin, scope: this.#scope }).catch(this.#rethrow);
  }

  async retry(id: string, origin: Origin): ReturnType<JobService['retry']> {
    await this.#assertMayChange(id);
    return this.#jobs.retry(id, { ...origin, scope: this.#scope }).catch(this.#rethrow);
  }

  /** To plan a job, the lab CLI may be asked about all labs. */
  readonly #rethrow = (error: unknown): never => {
    throw this.#sight.isNarrowed ? withoutOutput(error) : error;
  };

  async get(id: string): Promise<JobView> {
    const job = await this.#jobs.get(id);
    if (this.#sight.mayReadJob(job)) return job;
    throw noSuchJob(id);
  }

  async wait(id: string, options: Parameters<JobService['wait']>[1]): Promise<JobView> {
    await this.get(id);
    return this.#jobs.wait(id, options);
  }

  async list(filter: Parameters<JobService['list']>[0]): ReturnType<JobService['list']> {
    return this.#jobs.list({ ...filter, ...this.#visible });
  }

  summaries(filter: JobFilter, limit: number): ReturnType<JobService['summaries']> {
    return this.#jobs.summaries({ ...filter, ...this.#visible }, limit);
  }

  async cancel(id: string, options: Parameters<JobService['cancel']>[1]): Promise<JobView> {
    await this.#assertMayChange(id);
    return this.#jobs.cancel(id, options);
  }

  async remove(id: string): Promise<void> {
    await this.#assertMayChange(id);
    await this.#jobs.remove(id);
  }

  async openLog(id: string): ReturnType<JobService['openLog']> {
    await this.get(id);
    return this.#jobs.openLog(id);
  }

  async artifacts(id: string): ReturnType<JobService['artifacts']> {
    await this.get(id);
    return this.#jobs.artifacts(id);
  }

  onChange(listener: (change: JobChange) => void): () => void {
    return this.#jobs.onChange((change) => {
      if (this.#sight.mayReadJob(change)) listener(change);
    });
  }

  /** Nothing is asked of each job for those who may see all. */
  get #visible(): Pick<JobFilter, 'isVisible'> {
    return this.#sight.isNarrowed ? { isVisible: (job) => this.#sight.mayReadJob(job) } : {};
  }

  async #assertMayChange(id: string): Promise<void> {
    this.#sight.assertMayChange(this.#sight.jobResource(await this.get(id)), `the job ${id}`);
  }
}
