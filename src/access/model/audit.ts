/** What the audit is told of requests. What is not known is left out; docs/access.md explains each name. */

/** What a request is about. */
export interface AuditTarget {
  readonly job?: string;
  readonly lab?: string;
  readonly node?: string;
  readonly interface?: string;
  readonly workspace?: string;
  /** Of a workspace. */
  readonly file?: string;
  /** Of a job: what it does, and in which directory. */
  readonly action?: string;
  readonly workdir?: string;
}

/** A request of which the audit has a line. */
export interface AuditEntry extends AuditTarget {
  /** `opened`: something has begun that goes on for as long as its client likes; its `request` follows at the end. */
  readonly event: 'opened' | 'request';
  readonly requestId: string;
  readonly user?: string;
  readonly role?: string;
  readonly loggedInBy?: string;
  readonly tokenId?: string;
  /** Of the connection. */
  readonly address?: string;
  /** The `operationId` of its route. */
  readonly operation?: string;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** Of the reply; absent when the client went away before there was one. */
  readonly status?: number;
  /** The `code` of the error. */
  readonly error?: string;
  readonly durationMs?: number;
  /** The client went away before it had the whole reply. */
  readonly aborted?: true;
}

export interface AuditLog {
  /** Never throws, and nobody waits for it. */
  readonly note: (entry: AuditEntry) => void;
}
