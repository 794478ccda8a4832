/** The parts of the service that show or change something of somebody, as far as HTTP may ask for them. */
import type { Ownership } from '../access/model/ownership.ts';
import type { EventService } from '../events/model/event-service.ts';
import type { VisibleJob } from '../jobs/model/job-filter.ts';
import type { JobService } from '../jobs/job-service.ts';
import type { AllLabs } from '../labs/all-labs.ts';
import type { Labs } from '../labs/labs.ts';
import type { WorkspaceFiles } from '../labs/workspaces/workspace-files.ts';
import type { Workspaces } from '../labs/workspaces/workspaces.ts';
import type { LeaseService } from '../leases/lease-service.ts';
import type { OwnerService } from '../owners/owner-service.ts';

/** What is public of a class, so that something else may stand in its place. */
type Port<T> = Pick<T, keyof T>;

export interface LabParts extends Pick<AllLabs, 'findCli' | 'recorded' | 'templates'> {
  /** The lab CLIs; the first is that of what names none. */
  readonly members: readonly Pick<Labs, 'name' | 'describe'>[];
  readonly status: Pick<AllLabs['status'], 'all' | 'documentOf' | 'instance' | 'list' | 'startOf'>;
  readonly list: Pick<Labs['list'], 'all' | 'one'>;
  readonly topologies: Pick<Labs['topologies'], 'of' | 'directoryOf'>;
  readonly layouts: Port<Labs['layouts']>;
  readonly pictures: Port<Labs['pictures']>;
  readonly roots: Pick<Labs['roots'], 'check'>;
  readonly nodes: Port<Labs['nodes']>;
  readonly tests: Port<Labs['tests']>;
}

export type WorkspaceParts = Pick<
  Workspaces,
  | 'nameOf'
  | 'recordOf'
  | 'isTaken'
  | 'directoryOf'
  | 'list'
  | 'get'
  | 'make'
  | 'replace'
  | 'remove'
  | 'give'
  | 'withItems'
>;

export interface ReadinessCheck {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

export interface Parts {
  /** Of the labs of one lab CLI alone. @throws AppError `invalid-request` for a name that none has. */
  readonly ofCli: (cli: string) => Pick<Parts, 'labs' | 'leases'>;
  readonly config: { readonly ownership: Ownership; readonly templatesDir: string | undefined };
  readonly jobs: JobService;
  /** Whether whoever asks may know of a job; of one on another host, too. */
  readonly mayReadJob: (job: VisibleJob) => boolean;
  readonly events: EventService;
  readonly labs: LabParts;
  readonly workspaces: WorkspaceParts;
  /** Those of workspaces. */
  readonly files: Port<WorkspaceFiles>;
  readonly leases: LeaseService;
  readonly owners: OwnerService;
  readonly readiness: () => Promise<readonly ReadinessCheck[]>;
  /** Aborted when the service shuts down: streams end. */
  readonly shutdown: AbortSignal;
}
