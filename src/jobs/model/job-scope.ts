/** What whoever asks for a job may use. Who that is, and why, jobs need not know. */
import type { Job } from './job.ts';

/** A job whose request was checked, and which is not on record yet. */
export type PlannedJob = Pick<Job, 'action' | 'workdir' | 'workspace'>;

export interface JobScope {
  /** Whether a request may name what is there: a path, absolute, symbolic links resolved. */
  readonly allows: (realPath: string) => boolean;
  /** Whether a lab instance of which nobody can tell where it lives may be named all the same. */
  readonly mayNameUnknown: boolean;
  /**
   * Called in the turn in which the job is recorded: nothing that it looks at changes in between. `others` are those that
   * run or wait in the same directory. @throws AppError.
   */
  readonly check: (planned: PlannedJob, others: readonly Job[]) => void;
}
