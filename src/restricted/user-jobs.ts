import path from 'node:path';
import type { JobService } from '../jobs/job-service.ts';
import { noSuchJob } from '../jobs/model/no-such-job.ts';
import type { JobFilter } from '../jobs/model/job-filter.ts';
import type { BringFiles, JobScope, PlannedJob, WantedTogether } from '../jobs/model/lab-port.ts';
import type { Job as JobRecord } from '../jobs/model/job.ts';
import { specOf, type Action } from '../labs/model/actions.ts';
import { isInside } from '../lib/files/path-inside.ts';
import { isMapping } from '../lib/mapping.ts';
import { AppError, fieldError } from '../lib/app-error.ts';
import { Job } from './job.ts';
import type { Machine } from './machine.ts';
import type { Needs } from './needs.ts';
import type { UserAccess } from './user-access.ts';
import { withoutOutput } from './without-output.ts';

type Origin = Parameters<JobService['submit']>[1];

/** The reason why no job of the user may work in a directory. */
function noPlace(sight: UserAccess, workdir: string): AppError {
  if (!sight.mayName(workdir))
    return fieldError('forbidden-path', 'workdir', 'must lie inside one of the directories that you may use');
  const remedy = 'its owner can share it with you as "operator"';
  return new AppError('forbidden', `${workdir} is shared with you for reading alone: ${remedy}`);
}

/** Limits a new job to the things that the user may use. */
function scopeOf(sight: UserAccess, { workspaces }: Machine): JobScope {
  const assertOwnPlace = ({ workdir, workspace }: PlannedJob, others: readonly JobRecord[]): void => {
    const place = workspace === null ? undefined : sight.workspace(workspace);
    if (place) sight.assertMayChange(place, `the workspace "${workspace}"`);
    const allWorkspaces = path.dirname(workspaces.directoryOf('one'));
    if (isInside(workdir, allWorkspaces)) sight.assertMayChange(sight.place(workdir), workdir);
    // A job may also make files below its directory.
    for (const lab of sight.labsIn(workdir)) sight.assertMayChange(lab, `the lab in ${lab.directory}`);
    // The service itself ends leases, and the owner of the lab was checked above.
    for (const job of others.filter(({ leaseOf }) => leaseOf === null))
      sight.assertMayChange(sight.jobResource(job), `what the job ${job.id} does in ${workdir}`);
  };
  return {
    quota: sight.jobQuota,
    allows: (realPath) => sight.mayUse(realPath),
    mayNameUnknown: !sight.isNarrowed && !sight.isStrict,
    check: (planned, others) => {
      const { action, workdir, workspace } = planned;
      sight.assertLoggedIn();
      const isToBeMade = workspace !== null && !workspaces.isTaken(workspace);
      if (!isToBeMade && !sight.mayWorkIn(workdir)) throw noPlace(sight, workdir);
      if (!specOf(action).locksWorkdir && sight.isNarrowed)
        throw new AppError(
          'forbidden',
          `"${action}" prints what there is of all labs: use GET /labs instead`,
        );
      if (specOf(action).locksWorkdir && sight.isStrict) assertOwnPlace(planned, others);
    },
  };
}

/** The jobs as one user may have them. The jobs that the user may not see are not there. */
export class UserJobs {
  readonly #jobs: JobService;
  /** Undefined where users do not log in. */
  readonly #access: UserAccess | undefined;
  readonly #scope: JobScope | undefined;

  constructor(machine: Machine, access: UserAccess | undefined) {
    this.#jobs = machine.jobs;
    this.#access = access;
    this.#scope = access && scopeOf(access, machine);
  }

  async submit(body: unknown, origin: Origin): ReturnType<JobService['submit']> {
    return this.#jobs
      .submit(body, { ...origin, scope: this.#scope })
      .catch((error: unknown) => this.#rethrow(this.#withoutFiguresOfOthers(error, body)));
  }

  /** Files of a `source` count for the owner of the workspace. */
  #withoutFiguresOfOthers(error: unknown, body: unknown): unknown {
    const name = isMapping(body) ? body['workspace'] : undefined;
    return this.#access && typeof name === 'string' ? this.#access.uploadError(error, name) : error;
  }

  /** Looks whether the quotas of the user have room for jobs, before the work that they need. @throws AppError as `submit`. */
  async assertRoomFor(wanted: WantedTogether): Promise<void> {
    await this.#scope?.quota?.checkAll(wanted).catch(this.#rethrow);
  }

  /** All of them, or none. @throws AppError as `submit`, and what `bring` throws. */
  async submitTogether(
    bodies: readonly unknown[],
    requestedBy: string | null,
    bring: BringFiles,
  ): ReturnType<JobService['submitTogether']> {
    const origin = { requestedBy, scope: this.#scope };
    return this.#jobs.submitTogether(bodies, origin, bring).catch(this.#rethrow);
  }

  /**
   * Whether the user may start a job of `action` in a directory; null for a lab whose directory is unknown. By the check of
   * `submit`, which also refuses as long as a job of another user runs or waits there.
   */
  mayStart(action: Action, place: Pick<PlannedJob, 'workdir' | 'workspace'> | null): boolean {
    if (this.#scope === undefined) return true;
    if (place === null) return this.#scope.mayNameUnknown;
    try {
      this.assertMayStart(action, place);
      return true;
    } catch (error) {
      if (error instanceof AppError) return false;
      throw error;
    }
  }

  /** @throws AppError as `submit`, about the place alone. */
  assertMayStart(action: Action, place: Pick<PlannedJob, 'workdir' | 'workspace'>): void {
    this.#scope?.check({ action, ...place }, []);
  }

  /** To plan a job, the lab CLI may be asked about all labs. */
  readonly #rethrow = (error: unknown): never => {
    throw this.#access?.isNarrowed ? withoutOutput(error) : error;
  };

  /** The job of an id, if the user may do with it what the request needs. @throws AppError `job-not-found`, `forbidden`. */
  async find(id: string, needs: Needs): Promise<Job> {
    const access = this.#access;
    const found = access && (await this.#jobs.get(id));
    if (access && found) {
      if (!access.mayReadJob(found)) throw noSuchJob(id);
      if (needs !== 'read') access.assertMayChange(access.jobResource(found), `the job ${id}`);
    }
    return new Job(id, { jobs: this.#jobs, found, scope: this.#scope, rethrow: this.#rethrow });
  }

  async list(filter: Parameters<JobService['list']>[0]): ReturnType<JobService['list']> {
    return this.#jobs.list({ ...filter, ...this.#visible });
  }

  summaries(filter: JobFilter, limit: number): ReturnType<JobService['summaries']> {
    return this.#jobs.summaries({ ...filter, ...this.#visible }, limit);
  }

  /** Users who may see all jobs need no check of each. */
  get #visible(): Pick<JobFilter, 'isVisible'> {
    const access = this.#access;
    return access?.isNarrowed ? { isVisible: (job) => access.mayReadJob(job) } : {};
  }
}
