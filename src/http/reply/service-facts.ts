/** What the service knows of a lab besides what the lab CLI tells. */
import type { JobService, JobSummaryView } from '../../jobs/job-service.ts';
import { specOf } from '../../labs/actions.ts';
import type { Lab } from '../../labs/status/lab-list.ts';
import type { Workspaces } from '../../labs/workspaces/workspaces.ts';
import type { LeaseService } from '../../leases/lease-service.ts';

export interface ServiceFacts {
  /** The workspace that the lab lives in. */
  readonly workspace: string | null;
  /** When its lease ends, RFC 3339. */
  readonly expiresAt: string | null;
  /** Who asked for the job that started it. */
  readonly owner: string | null;
  /** The ids of its last jobs, newest first. */
  readonly jobs: readonly string[];
}

/** Who knows something of labs. */
interface Knowing {
  readonly jobs: Pick<JobService, 'summaries'>;
  readonly workspaces: Pick<Workspaces, 'nameOf'>;
  readonly leases: Pick<LeaseService, 'expiresAt'>;
}

const jobsMax = 10;

/** Whether the lab was started by this job, and not from a shell after it. */
function hasStarted(job: JobSummaryView, { startedAtMs }: Lab): boolean {
  if (specOf(job.action).startsLab !== true || job.state === 'queued') return false;
  if (job.finishedAt === null || startedAtMs === null) return job.finishedAt === null;
  return Date.parse(job.createdAt) <= startedAtMs && startedAtMs <= Date.parse(job.finishedAt);
}

export function serviceFactsOf(lab: Lab, { jobs, workspaces, leases }: Knowing): ServiceFacts {
  const { workdir, entry } = lab;
  const last = jobs.summaries({ instance: lab.id, ...(workdir !== null && { workdir }) }, jobsMax);
  return {
    workspace: workdir === null ? null : workspaces.nameOf(workdir),
    expiresAt: leases.expiresAt({ directory: workdir ?? undefined, entry }),
    owner: last.find((job) => hasStarted(job, lab))?.requestedBy ?? null,
    jobs: last.map(({ id }) => id),
  };
}
