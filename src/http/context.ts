/** What the routes work with; `service.ts` makes it. */
import type { AuditLog } from '../access/model/audit.ts';
import type { Logins } from '../access/model/logins.ts';
import type { Principal } from '../access/model/principal.ts';
import type { Users } from '../access/model/user.ts';
import type { Config } from '../config/config.ts';
import type { EventService } from '../events/model/event-service.ts';
import type { JobService } from '../jobs/job-service.ts';
import type { Labs } from '../labs/labs.ts';
import type { Workspaces } from '../labs/workspaces/workspaces.ts';
import type { LeaseService } from '../leases/lease-service.ts';
import type { Logger } from '../lib/logger.ts';
import type { HttpObserver } from './http-observer.ts';

export interface ReadinessCheck {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** What `GET /metrics` answers. */
interface MetricsText {
  readonly contentType: string;
  readonly text: string;
}

/** A message of the Model Context Protocol, and who sent it. */
interface McpCall {
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Parsed already. */
  readonly body: unknown;
  /** Aborted when the client has gone, or the service stops. */
  readonly signal: AbortSignal;
}

export interface HttpContext {
  readonly config: Config;
  /** Of this program. */
  readonly version: string;
  readonly users: Users;
  /** Who somebody is. */
  readonly logins: Logins;
  readonly jobs: JobService;
  readonly events: EventService;
  readonly labs: Pick<
    Labs,
    'status' | 'list' | 'topologies' | 'layouts' | 'pictures' | 'roots' | 'templates' | 'nodes' | 'tests'
  >;
  readonly workspaces: Workspaces;
  readonly leases: LeaseService;
  /** Answers AI assistants; undefined when the server is not to. @throws AppError `invalid-request`. */
  readonly mcp: ((call: McpCall) => Promise<{ readonly status: number; readonly text: string }>) | undefined;
  readonly readiness: () => Promise<readonly ReadinessCheck[]>;
  readonly metrics: () => Promise<MetricsText>;
  /** Told of every request. */
  readonly observer: HttpObserver;
  /** Told of requests that change something or are refused. */
  readonly audit: AuditLog;
  readonly log: Logger;
  /** Aborted when the service shuts down: streams end. */
  readonly shutdown: AbortSignal;
}

declare module 'express-serve-static-core' {
  interface Request {
    /** `X-Request-Id`, ours or the client's. */
    id: string;
    /** Who has sent it; undefined before that is known. */
    principal: Principal | undefined;
  }
}
