import type { Action } from '../../labs/model/actions.ts';
import type { Job, JobState } from './job.ts';

/** Which jobs a list is to hold. All that is given must match. */
export interface JobFilter {
  readonly states?: readonly JobState[];
  readonly actions?: readonly Action[];
  readonly instance?: string;
  readonly workdir?: string;
  readonly workspace?: string;
  /** The user who submitted it. */
  readonly requestedBy?: string;
  /** Submitted then or later. */
  readonly since?: Date;
  /** Submitted before. */
  readonly until?: Date;
  /** `key` (has it) or `key=value`. All of them must match. */
  readonly labels?: readonly string[];
  /** Whether the user may know of the job. */
  readonly isVisible?: (job: VisibleJob) => boolean;
}

/** The fields that decide whether a user may know of a job. */
export type VisibleJob = Pick<Job, 'workdir' | 'requestedBy' | 'createdAt'>;

/** A part of a list. */
export interface PageRequest {
  readonly limit: number;
  /** The `nextCursor` of the page before. */
  readonly cursor?: string;
}

type Filtered = Pick<Job, 'state' | 'action' | 'instance' | 'labels'> &
  VisibleJob &
  Partial<Pick<Job, 'workspace'>>;

/** Whether a job matches. Takes the filter apart once, and not again for each of 100,000 jobs. */
export function jobMatcher(filter: JobFilter): (job: Filtered) => boolean {
  const { states, actions, instance, workdir, workspace, requestedBy, isVisible } = filter;
  // As in a record: times of one form are compared as text.
  const [since, until] = [filter.since?.toISOString(), filter.until?.toISOString()];
  const labels = (filter.labels ?? []).map((wanted) => {
    const [key = '', ...rest] = wanted.split('=');
    return { key, value: rest.length === 0 ? undefined : rest.join('=') };
  });
  return (job) =>
    (states === undefined || states.includes(job.state)) &&
    (actions === undefined || actions.includes(job.action)) &&
    (instance === undefined || instance === job.instance) &&
    (workdir === undefined || workdir === job.workdir) &&
    (workspace === undefined || workspace === job.workspace) &&
    (requestedBy === undefined || requestedBy === job.requestedBy) &&
    (since === undefined || job.createdAt >= since) &&
    (until === undefined || job.createdAt < until) &&
    labels.every(
      ({ key, value }) =>
        Object.hasOwn(job.labels, key) && (value === undefined || job.labels[key] === value),
    ) &&
    (isVisible === undefined || isVisible(job));
}
