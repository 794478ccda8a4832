import type { Action } from '../labs/actions.ts';
import type { Job, JobState } from './job.ts';
import type { JobSummary } from './job-summary.ts';
import type { JobStore } from './store.ts';

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

/** Takes the filter apart once, and not again for each of 100,000 jobs. */
function matcher(filter: JobFilter): (summary: JobSummary) => boolean {
  const { states, action, instance, workdir } = filter;
  const labels = (filter.labels ?? []).map((wanted) => {
    const [key = '', ...rest] = wanted.split('=');
    return { key, value: rest.length === 0 ? undefined : rest.join('=') };
  });
  return (summary) =>
    (states === undefined || states.includes(summary.state)) &&
    (action === undefined || action === summary.action) &&
    (instance === undefined || instance === summary.instance) &&
    (workdir === undefined || workdir === summary.workdir) &&
    labels.every(
      ({ key, value }) =>
        Object.hasOwn(summary.labels, key) && (value === undefined || summary.labels[key] === value),
    );
}

/** A page of matching jobs, newest first; only the records of the page are read from disk. */
export async function selectJobs(store: JobStore, filter: JobFilter): Promise<JobPage> {
  const { limit, cursor } = filter;
  // One more than asked for tells whether there is a next page.
  const found = store.select(matcher(filter), limit + 1, cursor);
  const page = found.slice(0, limit);
  // A record that cannot be read just now is left out: the others are to be seen all the same.
  const jobs = await Promise.all(page.map(async ({ id }) => store.get(id).catch(() => undefined)));
  return {
    jobs: jobs.filter((job) => job !== undefined),
    nextCursor: found.length > limit ? (page.at(-1)?.id ?? null) : null,
  };
}
