/** What the routers work with; bootstrap makes it. */
import type { Config } from '../config/config.ts';
import type { JobService } from '../jobs/job-service.ts';
import type { LogFollowers } from '../jobs/view/log-followers.ts';
import type { AllowedRoots } from '../labs/allowed-roots.ts';
import type { LabStatus } from '../labs/status/lab-status.ts';
import type { Template } from '../labs/templates.ts';
import type { Logger } from '../lib/logger.ts';

export interface ReadinessCheck {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

export interface HttpContext {
  readonly config: Config;
  /** Of this program. */
  readonly version: string;
  readonly jobs: JobService;
  readonly followers: LogFollowers;
  readonly status: LabStatus;
  readonly roots: AllowedRoots;
  /** The topologies in a directory. */
  readonly templates: (directory: string, recursive: boolean) => Promise<readonly Template[]>;
  readonly readiness: () => Promise<readonly ReadinessCheck[]>;
  readonly log: Logger;
  /** Aborted when the service shuts down: streams end. */
  readonly shutdown: AbortSignal;
}

declare module 'express-serve-static-core' {
  interface Request {
    /** `X-Request-Id`, ours or the client's. */
    id: string;
    /** The name under which the client logged in; null without authentication. */
    user: string | null;
  }
}
