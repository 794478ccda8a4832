import type { Deferred } from '../../lib/async/deferred.ts';
import type { Stopping } from './job-outcome.ts';
import type { ProcessEnd } from './process-end.ts';
import type { JobProcess } from './process.ts';

/** A job that this service takes to its end. */
export interface RunningJob {
  readonly id: string;
  /** Undefined before it is started, or when an earlier service left no living process. */
  process: JobProcess | undefined;
  /** How it is being ended; undefined while nobody has asked for that. */
  stopping: Promise<Stopping> | undefined;
  /** Aborted when the job is to be killed at once: from then on nobody waits for it to end by itself. */
  readonly forceKill: AbortController;
  /** Resolves when a process of the job cannot be killed: its own end may never come. */
  readonly gaveUp: Deferred<ProcessEnd>;
}
