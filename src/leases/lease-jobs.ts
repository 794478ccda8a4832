import type { Job } from '../jobs/model/job.ts';
import type { Lease } from './lease.ts';

/** The parts of the job service that leases use. */
export interface LeaseJobs {
  readonly unfinished: () => readonly Job[];
  /** Undefined when there is none (any more). */
  readonly get: (id: string) => Promise<Job | undefined>;
  /** The job that started or stopped the lab in this directory last; undefined when none is on record. */
  readonly lastOf: (workdir: string) => Promise<Job | undefined>;
  /** Calls `listener` when a job has ended; the result ends that. */
  readonly onEnd: (listener: (job: Job) => void) => () => void;
  /** Queues the `down` of a lease. @throws AppError when it cannot be queued. */
  readonly takeDown: (lease: Pick<Lease, 'job' | 'action' | 'workdir' | 'labels' | 'cli'>) => Promise<Job>;
  /** Takes a job that waits out of the queue. */
  readonly cancel: (id: string) => Promise<void>;
}
