/** The parts of the service that HTTP uses; `src/service` makes them. */
import type { Accounts } from '../access/model/accounts.ts';
import type { AuditLog } from '../access/model/audit.ts';
import type { AuditReader } from '../access/model/audit-record.ts';
import type { Logins } from '../access/model/logins.ts';
import type { ProviderLogins } from '../access/model/provider-logins.ts';
import type { Principal } from '../access/model/principal.ts';
import type { Users } from '../access/model/user.ts';
import type { ClusterService } from '../cluster/model/cluster-service.ts';
import type { Config } from '../config/config.ts';
import type { SettingsChange } from '../config/running-settings.ts';
import type { JobSummaryView } from '../jobs/job-service.ts';
import type { Images } from '../labs/images.ts';
import type { Logger } from '../lib/logger.ts';
import type { Machine } from '../restricted/machine.ts';
import type { Restricted } from '../restricted/restrict.ts';
import type { SshService } from '../ssh/ssh-service.ts';
import type { HttpObserver } from './http-observer.ts';

/** The reply of `GET /metrics`. */
interface MetricsText {
  readonly contentType: string;
  readonly text: string;
}

/** A message of the Model Context Protocol and its sender. */
interface McpAnswer {
  readonly status: number;
  readonly text: string;
  readonly session?: string | undefined;
}

interface McpCall {
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The name of the user; null on a server without users. */
  readonly user: string | null;
  /** Stands for that user for as long as the answer takes. */
  readonly secret: string;
  readonly requestId: string;
  /** Parsed already. */
  readonly body: unknown;
  /** Aborted when the client has gone, or the service stops. */
  readonly signal: AbortSignal;
}

/** The kinds of files that the service keeps. */
export const diskKinds = ['jobs', 'workspaces', 'images', 'state'] as const;

interface UserDiskUse {
  readonly user: string | null;
  readonly jobs: number;
  readonly workspaces: number;
}

/** All sizes in bytes. */
export interface DiskUse {
  /** When images and state were measured, RFC 3339. */
  readonly measuredAt: string;
  readonly fileSystems: readonly {
    readonly directory: string;
    readonly free: number | null;
    readonly total: number | null;
  }[];
  readonly kinds: readonly {
    readonly kind: (typeof diskKinds)[number];
    readonly size: number | null;
    /** There are more files than were counted. */
    readonly partial?: true;
  }[];
  readonly unmeasuredWorkspaces: number;
  readonly users: readonly UserDiskUse[];
  readonly largestWorkspaces: readonly {
    readonly name: string;
    readonly owner: string | null;
    readonly size: number;
  }[];
  readonly largestJobs: readonly (Pick<JobSummaryView, 'id' | 'action' | 'requestedBy'> & {
    readonly size: number;
  })[];
}

/** The whole service. Routes never see it: they get an `HttpContext`. */
export interface WholeContext extends Machine {
  readonly config: Config;
  /** Of this program. */
  readonly version: string;
  readonly users: Users;
  /** Finds the user of a request. */
  readonly logins: Logins;
  /** Undefined without an identity provider. */
  readonly provider: ProviderLogins | undefined;
  /** Lists and changes users, tokens and sessions. Each operation decides whether the asker may do it. */
  readonly accounts: Accounts;
  /** Answers AI assistants; undefined when the server is not to. @throws AppError `invalid-request`. */
  readonly mcp: ((call: McpCall) => Promise<McpAnswer>) | undefined;
  readonly metrics: () => Promise<MetricsText>;
  /** The use of the disk; for administrators alone. */
  readonly disk: () => Promise<DiskUse>;
  /** Reads the settings again, and the files that they name. @throws ConfigError when the settings are wrong, and stay as they were. */
  readonly reload: () => Promise<SettingsChange>;
  /** Receives every request. */
  readonly observer: HttpObserver;
  /** Receives requests that change something or are refused. */
  readonly audit: AuditLog;
  /** Undefined when the audit is in the log of the service. */
  readonly auditReader: AuditReader | undefined;
  readonly log: Logger;
  readonly images: Images;
  /** Nodes over SSH. */
  readonly ssh: SshService;
  /** Undefined for a service that works alone. */
  readonly cluster: ClusterService | undefined;
}

/** The service as the user of a request may have it. */
export type HttpContext = Restricted<WholeContext>;

declare module 'express-serve-static-core' {
  interface Request {
    /** `X-Request-Id`, ours or the client's. */
    id: string;
    /** The user of the request; undefined before authentication. */
    principal: Principal | undefined;
    /** Set when another host of the cluster has passed it on: this one answers for itself alone. */
    isPassedOn?: true;
  }
}
