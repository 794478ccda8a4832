import type { Action } from '../labs/actions.ts';
import type { Job, JobState } from './job.ts';
import type { JobStore, JobSummary } from './store.ts';

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

function hasLabel(labels: Job['labels'], wanted: string): boolean {
  const [key = '', ...rest] = wanted.split('=');
  return Object.hasOwn(labels, key) && (rest.length === 0 || labels[key] === rest.join('='));
}

function matches(summary: JobSummary, filter: JobFilter): boolean {
  return (
    (filter.states === undefined || filter.states.includes(summary.state)) &&
    (filter.action === undefined || filter.action === summary.action) &&
    (filter.instance === undefined || filter.instance === summary.instance) &&
    (filter.workdir === undefined || filter.workdir === summary.workdir) &&
    (filter.labels ?? []).every((label) => hasLabel(summary.labels, label))
  );
}

/** A page of matching jobs, newest first; only the records of the page are read from disk. */
export async function selectJobs(store: JobStore, filter: JobFilter): Promise<JobPage> {
  const { limit, cursor } = filter;
  const found: JobSummary[] = [];
  // One more than asked for tells whether there is a next page.
  for (const summary of store.summaries().toReversed()) {
    if (cursor !== undefined && summary.id >= cursor) continue;
    if (matches(summary, filter)) found.push(summary);
    if (found.length > limit) break;
  }
  const page = found.slice(0, limit);
  // A record that cannot be read just now is left out: the others are to be seen all the same.
  const jobs = await Promise.all(page.map(async ({ id }) => store.get(id).catch(() => undefined)));
  return {
    jobs: jobs.filter((job) => job !== undefined),
    nextCursor: found.length > limit ? (page.at(-1)?.id ?? null) : null,
  };
}
