/**
 * The interface of jobs for the rest of the service. HTTP knows nothing behind it, so a job may be on this machine
 * (`local-jobs.ts`) or on another host of the cluster. Jobs are named by their ids; what comes back is what clients see.
 */
import type { JobFilter, PageRequest } from './model/job-filter.ts';
import type { BringFiles, JobScope } from './model/lab-port.ts';
import type { Job, JobState, listedFields, privateFields } from './model/job.ts';
import type { JobLog } from './model/job-log.ts';
import type { JobView } from './model/job-view.ts';
import type { IdempotencyClaim } from './model/idempotency-claim.ts';
import type { FileHandle } from 'node:fs/promises';

/** A file that a job has made, and that may be fetched. */
export interface Artifact {
  /** Below the working directory of the job, or below its own directory for artifacts; with slashes. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  readonly modifiedAt: Date;
  readonly isDirectory: false;
  readonly isProgram: boolean;
  /** Opens it for reading, before the iteration goes on; the caller closes it. Undefined when the file is gone. */
  readonly open: () => Promise<FileHandle | undefined>;
}

/** The user that asks for a job, and the key of the request. */
interface Origin {
  readonly requestedBy: string | null;
  readonly claim: IdempotencyClaim | undefined;
  /** The lab CLIs, directories and hosts that the user may use; undefined for all. */
  readonly scope?: JobScope | undefined;
  /** Aborted when the client has gone: a repository is not waited for any more then. */
  readonly signal?: AbortSignal | undefined;
}

interface Accepted {
  readonly job: JobView;
  /** Whether the job was there already: an earlier request made it with the same claim. */
  readonly isReplayed: boolean;
}

interface CancelOptions {
  readonly by: string | null;
  /** Skips the polite part. */
  readonly force: boolean;
  /** How long the reply may wait for the end. */
  readonly waitMs: number;
}

interface WaitOptions {
  readonly ms: number;
  /** Ends the wait early. */
  readonly signal: AbortSignal;
}

/** A job that has just changed. */
export interface JobChange extends Job {
  /** Null for a new job; `state` itself when another field has changed, or the disk accepted a record that it had refused. */
  readonly previousState: JobState | null;
}

/** A job as far as it is known without a look at the disk. */
export type JobSummaryView = Omit<Pick<Job, keyof typeof listedFields>, keyof typeof privateFields>;

export interface JobPage {
  readonly jobs: readonly JobView[];
  /** Where the next page begins; null on the last one. */
  readonly nextCursor: string | null;
}

/** Every method that takes an id throws AppError `job-not-found`, and `storage-fault` when the disk fails just now. */
export interface JobService {
  /**
   * Checks the body of a request for a job, then records and queues the job.
   * @throws AppError `invalid-request` and others; then nothing was queued.
   */
  submit(body: unknown, origin: Origin): Promise<Accepted>;
  /**
   * The same for several bodies, each with a workspace that is there when `bring` has resolved: all jobs are queued, or none.
   * Without a claim. @throws AppError as `submit`, and what `bring` throws.
   */
  submitTogether(
    bodies: readonly unknown[],
    origin: Omit<Origin, 'claim'>,
    bring: BringFiles,
  ): Promise<readonly JobView[]>;
  /**
   * Submits what a finished job was asked to do once more.
   * @throws AppError `job-active`, `topology-not-found`, or as `submit`; then nothing was queued.
   */
  retry(id: string, origin: Origin): Promise<Accepted>;
  get(id: string): Promise<JobView>;
  /** The job as soon as it has ended, or as it is when the time is up or the signal is aborted. */
  wait(id: string, options: WaitOptions): Promise<JobView>;
  /** A page of matching jobs, newest first. */
  list(filter: JobFilter & PageRequest): Promise<JobPage>;
  /** The last jobs that match, newest first, at most `limit`: cheap, from memory. */
  summaries(filter: JobFilter, limit: number): readonly JobSummaryView[];
  /** A job as far as it is known in memory; undefined for an unknown one. */
  summary(id: string): JobSummaryView | undefined;
  /** Cancels a job and waits a moment for its end; the job is `canceling` when that takes longer. */
  cancel(id: string, options: CancelOptions): Promise<JobView>;
  /**
   * Removes a finished job with all its files.
   * @throws AppError `job-active`.
   */
  remove(id: string): Promise<void>;
  /** With `isFollowed`, the extent may be a moment old where others follow the log. @throws AppError `log-not-found`. */
  openLog(id: string, isFollowed?: boolean): Promise<JobLog>;
  /** The topology that came with a job or was fetched for it. @throws AppError `topology-not-found`. */
  topology(id: string): Promise<string>;
  /** The files that a job has made, as far as they are there. */
  artifacts(id: string): Promise<AsyncIterable<Artifact>>;
  /** Calls `listener` after every change of a job, in order; the result ends that. */
  onChange(listener: (change: JobChange) => void): () => void;
}
