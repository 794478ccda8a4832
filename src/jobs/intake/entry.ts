/** A new job on its way to its record. */
import type { JobPlan, QuotaJob, TakenId } from '../model/lab-port.ts';
import type { JobRequest } from '../model/job-request.ts';
import type { JobOrigin } from './new-job.ts';

/** Where a new job stands in the queue, and what it needs besides its plan. */
export interface Entry extends JobOrigin {
  readonly timeoutMs: number;
  readonly place: 'first' | 'last';
  readonly takenId?: TakenId | undefined;
  /** When it was given out before. */
  readonly id?: string | undefined;
  readonly ttlMs?: number | null;
  readonly nodeCount?: number | null;
}

export async function unlimited<T>(record: () => Promise<T>): Promise<T> {
  return record();
}

export function quotaJobOf(
  { action, options }: JobRequest,
  { workdir }: JobPlan,
  { requestedBy, nodeCount }: Pick<QuotaJob, 'requestedBy' | 'nodeCount'>,
): QuotaJob {
  return { action, workdir, requestedBy, nodeCount, isDryRun: options.dryRun === true };
}

export interface Planned {
  readonly request: JobRequest;
  readonly plan: JobPlan;
}

export interface Prepared extends Planned, Pick<Entry, 'timeoutMs' | 'takenId'> {
  readonly ttlMs: number | null;
  readonly nodeCount: number | null;
  /** Records the job if its user has room for it. */
  readonly inQuota: <T>(record: () => Promise<T>) => Promise<T>;
}
