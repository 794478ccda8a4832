/** The checks in the turn in which a job is recorded: nothing that they look at changes in between. */
import { AppError } from '../../lib/app-error.ts';
import { lockKey, type Job } from '../model/job.ts';
import type { PlannedJob } from '../model/lab-port.ts';
import type { JobQueue } from '../run/job-queue.ts';
import type { Planned } from './entry.ts';
import type { JobOrigin } from './new-job.ts';

interface Room {
  readonly queue: Pick<JobQueue, 'waitingCount' | 'holderOf'>;
  readonly limits: { readonly maxQueuedJobs: number };
  /** How many jobs come before it that are not in the queue yet. */
  readonly ahead?: number;
}

/** @throws AppError `queue-full`; `workdir-busy` about a job that is not to wait. */
export function assertRoom(
  { request: { action, onConflict }, plan: { workdir } }: Planned,
  { queue, limits, ahead = 0 }: Room,
): void {
  if (queue.waitingCount + ahead >= limits.maxQueuedJobs) {
    const message = `${queue.waitingCount + ahead} jobs are waiting already; try again later`;
    throw new AppError('queue-full', message, { retryAfterSeconds: 10 });
  }
  const lock = lockKey({ action, workdir });
  const holder = lock === null ? undefined : queue.holderOf(lock);
  if (onConflict === 'reject' && holder !== undefined) {
    throw new AppError('workdir-busy', `the working directory ${workdir} is busy with ${holder}`, {
      extra: { conflictingJobId: holder },
      retryAfterSeconds: 10,
    });
  }
}

/** @throws AppError about what the user may not do. */
export function assertInScope(
  { action, workdir, workspace }: PlannedJob,
  { scope }: JobOrigin,
  store: { readonly unfinished: () => readonly Job[] },
): void {
  const others = store.unfinished().filter((job) => job.workdir === workdir);
  scope?.check({ action, workdir, workspace }, others);
}
