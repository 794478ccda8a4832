/** The loaded jobs, newest first: consecutive pages of the service, kept up to date by events. */
import type { EventJob, Job, JobPage, JobState } from '../../../../../src/client/api-types.ts';

export interface JobList {
  readonly jobs: readonly Job[];
  /** The cursor of the older jobs that are not loaded; null when all jobs are. */
  readonly nextCursor: string | null;
}

const newestFirst = (a: Job, b: Job): number => (a.id < b.id ? 1 : a.id > b.id ? -1 : 0);

/** Merges the newest page with the older jobs that were loaded. */
export function withNewest(known: JobList | undefined, page: JobPage): JobList {
  const last = page.jobs.at(-1);
  // The page has all matching jobs: others were removed.
  if (!known || !last || page.nextCursor === null) return page;
  const isJoined = known.jobs.some(({ id }) => id >= last.id);
  // So many jobs are new that there is a gap before the old ones.
  if (!isJoined) return page;
  const older = known.jobs.filter(({ id }) => id < last.id);
  const nextCursor = older.length > 0 ? known.nextCursor : page.nextCursor;
  return { jobs: [...page.jobs, ...older], nextCursor };
}

/** Adds the page that begins at `cursor`, unless the list ends elsewhere now: that would leave a gap. */
export function withOlder(known: JobList, page: JobPage, cursor: string): JobList {
  if (known.nextCursor !== cursor) return known;
  const ids = new Set(known.jobs.map(({ id }) => id));
  const jobs = [...known.jobs, ...page.jobs.filter(({ id }) => !ids.has(id))].toSorted(newestFirst);
  return { jobs, nextCursor: page.nextCursor };
}

/** Applies an event to the list. An unknown job comes with the next newest page. */
export function withNews(
  known: JobList,
  news: { readonly change: string; readonly job: EventJob },
  states: readonly JobState[] | undefined,
): JobList {
  const { id, state } = news.job;
  if (!known.jobs.some((job) => job.id === id)) return known;
  const isOut = news.change === 'removed' || (states !== undefined && !states.includes(state));
  if (isOut) return { ...known, jobs: known.jobs.filter((job) => job.id !== id) };
  // An event leaves out the fields that have not changed.
  const changed = Object.fromEntries(Object.entries(news.job).filter(([, value]) => value !== undefined));
  return { ...known, jobs: known.jobs.map((job) => (job.id === id ? { ...job, ...changed } : job)) };
}
