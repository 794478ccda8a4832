import type { Job } from '../model/job.ts';
import { jobMatcher, type JobFilter, type PageRequest } from '../model/job-filter.ts';
import type { JobStore } from './job-store.ts';

interface RecordPage {
  readonly jobs: readonly Job[];
  /** Where the next page begins; null on the last one. */
  readonly nextCursor: string | null;
}

/** A record may have over 64 KiB: 500 of those would delay all other requests, and hundreds of such pages fill the memory. */
const maxPageBytes = 1024 * 1024;
/** Records that are read at the same time. */
const chunkLength = 20;

/** A record is never changed, but replaced. */
const sizes = new WeakMap<Job, number>();

/** Bytes of a record as JSON. */
function sizeOf(job: Job): number {
  const size = sizes.get(job) ?? Buffer.byteLength(JSON.stringify(job));
  sizes.set(job, size);
  return size;
}

/**
 * A page of matching jobs, newest first; only the records of the page are read from disk. It ends early once its records
 * have a mebibyte together; it holds one at least.
 */
export async function selectJobs(store: JobStore, filter: JobFilter & PageRequest): Promise<RecordPage> {
  const { limit, cursor } = filter;
  const matches = jobMatcher(filter);
  // One more than asked for tells whether there is a next page.
  const found = store.select(matches, limit + 1, cursor);
  const ids = found.slice(0, limit).map(({ id }) => id);
  const jobs: Job[] = [];
  let bytes = 0;
  let last: string | undefined;
  for (let start = 0; start < ids.length; start += chunkLength) {
    // A record that cannot be read just now is left out; the others are listed.
    const read = ids.slice(start, start + chunkLength).map(async (id) => ({
      id,
      job: await store.get(id).catch(() => undefined),
    }));
    for (const { id, job } of await Promise.all(read)) {
      // Matched again: the job may have gone on since, and what the index file said of it may have been wrong.
      const isShown = job !== undefined && matches(job);
      if (isShown) bytes += sizeOf(job);
      if (isShown && bytes > maxPageBytes && jobs.length > 0) return { jobs, nextCursor: last ?? null };
      if (isShown) jobs.push(job);
      last = id;
    }
  }
  return { jobs, nextCursor: found.length > limit ? (last ?? null) : null };
}
