/** A job's log as others read it. Offsets are bytes; no character is ever cut; what was read never changes. */
import type { Readable } from 'node:stream';
import type { JobState } from './job.ts';
import type { JobView } from './job-view.ts';

export interface LogExtent {
  /** Bytes in the file, including those that readers do not get yet, or never get. */
  readonly size: number;
  /** Bytes that may be read now. */
  readonly end: number;
  /** Whether the log has its final length. */
  readonly complete: boolean;
}

/** Whole characters of a log, and the offset after them. */
export interface LogChunk {
  readonly bytes: Buffer;
  readonly nextOffset: number;
}

/** The news for a follower, in the order of time. Followers that are in step get the same chunk objects. */
export type Followed<Job> =
  { readonly kind: 'state'; readonly job: Job } | { readonly kind: 'log'; readonly chunk: LogChunk };

interface FollowOptions {
  /** In bytes. */
  readonly offset: number;
  /** Ends the following early. */
  readonly signal: AbortSignal;
}

/**
 * The log of one job. Every method throws AppError `job-not-found` or `log-not-found` once the log is gone, and
 * `storage-fault` when the disk fails.
 */
export interface JobLog {
  /** The state of the job, and how much of its log there was, when the log was opened. */
  readonly state: JobState;
  readonly extent: LogExtent;
  /** Where the last `lines` lines begin. */
  tailOffset(lines: number): Promise<number>;
  /** The bytes from `start` up to (not including) `end`, with flat memory. */
  read(start: number, end: number): Promise<Readable>;
  /**
   * The log from `offset` on, chunk by chunk, until the job has ended and all of it was given; with it the job, as it is
   * at first and in every other state. The last state comes after the last chunk. Reads only as fast as the caller takes.
   */
  follow(options: FollowOptions): AsyncGenerator<Followed<JobView>>;
}
