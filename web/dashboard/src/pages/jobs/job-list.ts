/** The jobs that the page has, newest first: pages of the service, one after the other, kept up to date by what happens. */
import type { EventJob, Job, JobPage, JobState } from '../../../../../src/client/api-types.ts';

export interface JobList {
  readonly jobs: readonly Job[];
  /** Where the older ones begin that the page does not have; null when it has all. */
  readonly nextCursor: string | null;
}

const newestFirst = (a: Job, b: Job): number => (a.id < b.id ? 1 : a.id > b.id ? -1 : 0);

/** What the newest page says now, with the older jobs that were known. */
export function withNewest(known: JobList | undefined, page: JobPage): JobList {
  const last = page.jobs.at(-1);
  // All that match stand on it: whatever else was known is gone.
  if (!known || !last || page.nextCursor === null) return page;
  const isJoined = known.jobs.some(({ id }) => id >= last.id);
  // So many are new that there is a gap before the old ones.
  if (!isJoined) return page;
  const older = known.jobs.filter(({ id }) => id < last.id);
  const nextCursor = older.length > 0 ? known.nextCursor : page.nextCursor;
  return { jobs: [...page.jobs, ...older], nextCursor };
}

/** With the page that begins at `cursor`, unless that is not where the list ends any more: then it would have a gap. */
export function withOlder(known: JobList, page: JobPage, cursor: string): JobList {
  if (known.nextCursor !== cursor) return known;
  const ids = new Set(known.jobs.map(({ id }) => id));
  const jobs = [...known.jobs, ...page.jobs.filter(({ id }) => !ids.has(id))].toSorted(newestFirst);
  return { jobs, nextCursor: page.nextCursor };
}

/** With what an event tells of one job. One that is not known is for the next newest page to tell. */
export function withNews(
  known: JobList,
  news: { readonly change: string; readonly job: EventJob },
  states: readonly JobState[] | undefined,
): JobList {
  const { id, state } = news.job;
  if (!known.jobs.some((job) => job.id === id)) return known;
  const isOut = news.change === 'removed' || (states !== undefined && !states.includes(state));
  if (isOut) return { ...known, jobs: known.jobs.filter((job) => job.id !== id) };
  // An event leaves out what has not changed.
  const changed = Object.fromEntries(Object.entries(news.job).filter(([, value]) => value !== undefined));
  return { ...known, jobs: known.jobs.map((job) => (job.id === id ? { ...job, ...changed } : job)) };
}
