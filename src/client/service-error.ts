/** An error reply of the service or of a proxy in front of it. */
import type { Problem } from './api-types.ts';

export interface FieldError {
  readonly field: string;
  readonly message: string;
}

/** The statuses of a proxy whose service is away. */
const proxyStatuses: ReadonlySet<number> = new Set([502, 503, 504]);

/** A reply with a status of 400 or more. `message` is a sentence for people. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly status: number;
  /** One of the documented codes; undefined when something else than lab-api answered. */
  readonly code: string | undefined;
  /** Which fields of the request are wrong, and how. */
  readonly errors: readonly FieldError[];
  readonly requestId: string | undefined;
  /** When the service wants to be asked again; undefined when it did not say. */
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, headers: Headers, problem: Partial<Problem>) {
    super(problem.detail ?? `the server answered with HTTP status ${status}`);
    this.status = status;
    this.code = problem.code;
    this.errors = problem.errors ?? [];
    this.requestId = problem.requestId ?? headers.get('X-Request-Id') ?? undefined;
    const seconds = Number(headers.get('Retry-After') ?? Number.NaN);
    this.retryAfterSeconds = Number.isFinite(seconds) ? seconds : undefined;
  }

  /** Whether the service is only away: it restarts, or a proxy cannot reach it. */
  get isAway(): boolean {
    return this.code === 'shutting-down' || (this.code === undefined && proxyStatuses.has(this.status));
  }

  /** Whether the host of the cluster that has what was asked for is away, or takes no labs. */
  get isHostAway(): boolean {
    return this.code === 'host-unavailable';
  }
}

/**
 * The reason for a missing reply, if known: the server speaks plain HTTP, or perhaps TLS; its certificate is not signed by a
 * trusted authority, is for another name, is not valid now, or has another key than the pinned one.
 */
export type LossReason =
  'plain-http' | 'may-be-tls' | 'untrusted' | 'other-name' | 'out-of-date' | 'other-key';

interface ConnectionErrorOptions extends ErrorOptions {
  readonly reason?: LossReason | undefined;
  readonly neverReached?: boolean;
}

/** No reply, or one that broke off: the port is closed, the name is unknown, or the certificate is not trusted. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  readonly reason: LossReason | undefined;
  /** Whether this client has never had a reply: perhaps no service is there at all. */
  readonly neverReached: boolean;

  constructor(message: string, options: ConnectionErrorOptions = {}) {
    super(message, options);
    this.reason = options.reason;
    this.neverReached = options.neverReached ?? false;
  }
}

/** A reply that lab-api would not give: something else is at that address. To ask again would not help. */
export class UnexpectedReply extends ConnectionError {}
