import { isTerminal } from './job.ts';
import type { JobStore, JobSummary } from './store.ts';

export interface RetentionRules {
  /** How many finished jobs to keep at most. */
  readonly keepJobs: number;
  /** How many days after its end a job is kept at most. */
  readonly keepDays: number;
}

const dayMs = 24 * 3_600_000;

/** The finished jobs that have to go, oldest first. `jobs` in the order of creation; an unfinished one never goes. */
export function expiredJobs(jobs: readonly JobSummary[], rules: RetentionRules, nowMs: number): string[] {
  const finished = jobs.filter((job) => isTerminal(job.state));
  const tooMany = Math.max(0, finished.length - rules.keepJobs);
  const isTooOld = (job: JobSummary): boolean =>
    job.finishedAt !== null && nowMs - Date.parse(job.finishedAt) > rules.keepDays * dayMs;
  return finished.filter((job, index) => index < tooMany || isTooOld(job)).map((job) => job.id);
}

/** Removes expired jobs; the number of those that went. Never rejects: what cannot go now goes after the next start. */
export async function applyRetention(store: JobStore, rules: RetentionRules): Promise<number> {
  let removed = 0;
  for (const id of expiredJobs(store.summaries(), rules, Date.now())) {
    removed += await store.remove(id).then(
      () => 1,
      () => 0,
    );
  }
  return removed;
}
