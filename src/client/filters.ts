/** The fields that select jobs and lines of the audit. */
import type { JobState } from './api-types.ts';

/** Selects lines of the audit: those that match every given field. Times as `GET /audit` takes them. */
export interface AuditQuery {
  readonly user?: string | undefined;
  readonly lab?: string | undefined;
  /** The action of a job, or an `operationId`. */
  readonly action?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** Whether the request has got an error. */
  readonly refused?: boolean | undefined;
  readonly host?: string | undefined;
}

/** Selects jobs: a job is listed if it matches every given field. */
export interface JobFilter {
  readonly state?: readonly JobState[] | undefined;
  readonly action?: string | undefined;
  readonly instance?: string | undefined;
  /** The name of a host of the cluster. */
  readonly host?: string | undefined;
  readonly workdir?: string | undefined;
  readonly workspace?: string | undefined;
  /** The name of the user who submitted it. */
  readonly requestedBy?: string | undefined;
  /** `name`, or `name=value`. */
  readonly label?: readonly string[] | undefined;
}

/** Selects jobs by the time of their submission, too: RFC 3339, a date (UTC), or how long ago, such as `24h` or `7d`. */
export interface JobListFilter extends JobFilter {
  /** Then or later. */
  readonly since?: string | undefined;
  /** Before then. */
  readonly until?: string | undefined;
}
