import { isTerminal } from '../model/job.ts';
import type { JobSummary } from './job-summary.ts';
import type { JobStore } from './job-store.ts';

export interface RetentionRules {
  /** How many finished jobs to keep at most. */
  readonly keepJobs: number;
  /** How many days after its end a job is kept at most. */
  readonly keepDays: number;
  /** How many bytes the logs, artifacts and topologies of finished jobs may have together. */
  readonly keepSizeBytes: number;
}

const dayMs = 24 * 3_600_000;

/**
 * The ids of the finished jobs that have to go, oldest first; `jobs` come in the order of creation. An unfinished job never
 * goes. The job that ended last does not go because of its size: its client may not have seen yet how it ended.
 */
export function expiredJobs(jobs: readonly JobSummary[], rules: RetentionRules, nowMs: number): string[] {
  // Times of records are RFC 3339 in UTC with milliseconds: as texts they have the same order.
  const oldest = new Date(nowMs - rules.keepDays * dayMs).toISOString();
  const isTooOld = (job: JobSummary): boolean => job.finishedAt !== null && job.finishedAt < oldest;
  const finished = jobs.filter((job) => isTerminal(job.state));
  const young = finished.filter((job) => !isTooOld(job));
  let count = young.length;
  let bytes = young.reduce((sum, job) => sum + job.size, 0);
  const expired: string[] = [];
  const newest = finished.reduce<JobSummary | undefined>(
    (latest, job) => (latest && (latest.finishedAt ?? '') > (job.finishedAt ?? '') ? latest : job),
    undefined,
  );
  for (const job of finished) {
    const isYoung = !isTooOld(job);
    const isRoom = bytes <= rules.keepSizeBytes || job === newest;
    if (isYoung && count <= rules.keepJobs && isRoom) continue;
    expired.push(job.id);
    if (!isYoung) continue;
    count -= 1;
    bytes -= job.size;
  }
  return expired;
}

/**
 * Removes expired jobs one after the other, so that tens of thousands of them delay no request; returns the number of those
 * that went. Never rejects: what cannot go now goes after the next start. `signal` ends it early.
 */
export async function applyRetention(
  store: JobStore,
  rules: RetentionRules,
  signal?: AbortSignal,
): Promise<number> {
  let removed = 0;
  for (const id of expiredJobs(store.summaries(), rules, Date.now())) {
    if (signal?.aborted) return removed;
    removed += await store.remove(id).then(
      () => 1,
      () => 0,
    );
  }
  await store.tidy();
  return removed;
}
