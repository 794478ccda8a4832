/** What the service knows of a lab besides what the lab CLI tells: each part of the service fills its own line here. */
import type { JobService, JobSummaryView } from '../../jobs/job-service.ts';
import { specOf } from '../../labs/actions.ts';
import type { Lab } from '../../labs/status/lab-list.ts';

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

const jobsMax = 10;

/** Whether the lab was started by this job, and not from a shell after it. */
function hasStarted(job: JobSummaryView, { startedAtMs }: Lab): boolean {
  if (specOf(job.action).startsLab !== true || job.state === 'queued') return false;
  if (job.finishedAt === null || startedAtMs === null) return job.finishedAt === null;
  return Date.parse(job.createdAt) <= startedAtMs && startedAtMs <= Date.parse(job.finishedAt);
}

export function serviceFactsOf(lab: Lab, jobs: Pick<JobService, 'summaries'>): ServiceFacts {
  const last = jobs.summaries(
    { instance: lab.id, ...(lab.workdir !== null && { workdir: lab.workdir }) },
    jobsMax,
  );
  return {
    workspace: null,
    expiresAt: null,
    owner: last.find((job) => hasStarted(job, lab))?.requestedBy ?? null,
    jobs: last.map(({ id }) => id),
  };
}
