import type { Job } from '../model/job.ts';
import { jobMatcher, type JobFilter, type PageRequest } from '../model/job-filter.ts';
import type { JobStore } from './job-store.ts';

interface RecordPage {
  readonly jobs: readonly Job[];
  /** Where the next page begins; null on the last one. */
  readonly nextCursor: string | null;
}

/** A page of matching jobs, newest first; only the records of the page are read from disk. */
export async function selectJobs(store: JobStore, filter: JobFilter & PageRequest): Promise<RecordPage> {
  const { limit, cursor } = filter;
  const matches = jobMatcher(filter);
  // One more than asked for tells whether there is a next page.
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
