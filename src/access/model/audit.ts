/** The entries of the audit. Unknown fields are left out; docs/access.md explains each field. */

/** The objects that a request is about. */
export interface AuditTarget {
  readonly job?: string;
  readonly lab?: string;
  readonly node?: string;
  readonly interface?: string;
  readonly workspace?: string;
  /** A path in the workspace. */
  readonly file?: string;
  readonly snapshot?: string;
  /** With whom it is to be shared: `ann, @class:operator`; empty when all shares end. */
  readonly shares?: string;
  /** The user whom the request changes. */
  readonly subject?: string;
  /** The ids of a token and a session. */
  readonly token?: string;
  readonly session?: string;
  /** The action and the directory of a job. */
  readonly action?: string;
  readonly workdir?: string;
}

/** A request that gets a line in the audit. */
export interface AuditEntry extends AuditTarget {
  /** `opened`: a stream has begun, and its `request` follows at the end. */
  readonly event: 'opened' | 'request';
  readonly requestId: string;
  readonly user?: string;
  readonly role?: string;
  readonly loggedInBy?: string;
  readonly tokenId?: string;
  /** The address of the client. */
  readonly address?: string;
  /** The `operationId` of its route. */
  readonly operation?: string;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** The status of the reply; absent if the client went away before it. */
  readonly status?: number;
  /** The `code` of the error. */
  readonly error?: string;
  readonly durationMs?: number;
  /** The client went away before it had the whole reply. */
  readonly aborted?: true;
}

export interface AuditLog {
  /** Never throws, and returns at once. */
  readonly note: (entry: AuditEntry) => void;
}
