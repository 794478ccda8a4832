import type { Action } from '../../labs/actions.ts';
import type { Job, JobState } from '../model/job.ts';
import type { JobStore } from './job-store.ts';

export interface JobFilter {
  readonly states?: readonly JobState[];
  readonly action?: Action;
  readonly instance?: string;
  readonly workdir?: string;
  /** `key` (has it) or `key=value`. All of them must match. */
  readonly labels?: readonly string[];
  readonly limit: number;
  /** The `nextCursor` of the page before. */
  readonly cursor?: string;
}

export interface JobPage {
  readonly jobs: readonly Job[];
  /** Where the next page begins; null on the last one. */
  readonly nextCursor: string | null;
}

type Filtered = Pick<Job, 'state' | 'action' | 'instance' | 'workdir' | 'labels'>;

/** Takes the filter apart once, and not again for each of 100,000 jobs. */
function matcher(filter: JobFilter): (job: Filtered) => boolean {
  const { states, action, instance, workdir } = filter;
  const labels = (filter.labels ?? []).map((wanted) => {
    const [key = '', ...rest] = wanted.split('=');
    return { key, value: rest.length === 0 ? undefined : rest.join('=') };
  });
  return (job) =>
    (states === undefined || states.includes(job.state)) &&
    (action === undefined || action === job.action) &&
    (instance === undefined || instance === job.instance) &&
    (workdir === undefined || workdir === job.workdir) &&
    labels.every(
      ({ key, value }) =>
        Object.hasOwn(job.labels, key) && (value === undefined || job.labels[key] === value),
    );
}

/** A page of matching jobs, newest first; only the records of the page are read from disk. */
export async function selectJobs(store: JobStore, filter: JobFilter): Promise<JobPage> {
  const { limit, cursor } = filter;
  // One more than asked for tells whether there is a next page.
  const matches = matcher(filter);
  const found = store.select(matches, limit + 1, cursor);
  const page = found.slice(0, limit);
  // A record that cannot be read just now is left out: the others are to be seen all the same.
  const jobs = await Promise.all(page.map(async ({ id }) => store.get(id).catch(() => undefined)));
  return {
    // Matched again: the job may have gone on since, and what the index file said of it may have been wrong.
    jobs: jobs.filter((job) => job !== undefined).filter(matches),
    nextCursor: found.length > limit ? (page.at(-1)?.id ?? null) : null,
  };
}
