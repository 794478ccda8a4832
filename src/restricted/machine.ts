/** The parts of the service that hold the things of users. Routes never see them: they get `UserParts` (`restrict.ts`). */
import type { Groups } from '../access/model/groups.ts';
import type { Ownership } from '../access/model/ownership.ts';
import type { EventService } from '../events/model/event-service.ts';
import type { FaultService } from '../faults/fault-service.ts';
import type { JobService } from '../jobs/job-service.ts';
import type { Labs } from '../labs/labs.ts';
import type { WorkspaceFiles } from '../labs/workspaces/workspace-files.ts';
import type { Snapshots } from '../labs/snapshots/snapshots.ts';
import type { Workspaces } from '../labs/workspaces/workspaces.ts';
import type { LeaseService } from '../leases/lease-service.ts';
import type { OwnerService } from '../owners/owner-service.ts';
import type { QuotaService } from '../quotas/quota-service.ts';

export interface ReadinessCheck {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

export interface Machine {
  readonly config: { readonly ownership: Ownership; readonly templatesDir: string | undefined };
  readonly jobs: JobService;
  readonly events: EventService;
  readonly labs: Labs;
  readonly workspaces: Workspaces;
  readonly files: WorkspaceFiles;
  readonly snapshots: Snapshots;
  readonly leases: LeaseService;
  readonly faults: FaultService;
  readonly owners: OwnerService;
  readonly quotas: QuotaService;
  /** As the users file has them now. */
  readonly groups: () => Groups;
  readonly readiness: () => Promise<readonly ReadinessCheck[]>;
  /** Aborted when the service shuts down: streams end. */
  readonly shutdown: AbortSignal;
}
