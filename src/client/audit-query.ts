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
