import type { CheckPlaces } from './checks/check-places.ts';
import type { Environment } from './drivers/lab-driver.ts';
import type { JobUser } from './program/job-user.ts';
import type { NodePlaces } from './nodes/node-places.ts';
import type { OtherLabs } from './status/shared-labs.ts';
import type { StatusObserver } from './status/lab-status.ts';
import type { WorkspacePlaces } from './workspaces/workspace-places.ts';

/** Dependencies of the labs of a machine. */
export interface LabsDeps {
  /** The value of LAB_API_CLI. */
  readonly cli: string;
  /** The multilab id of an `up` that has none. */
  readonly multilabId?: 'auto' | undefined;
  /** The service's own. */
  readonly env: Environment;
  /** Directories that requests may name paths in; empty for anywhere. */
  readonly roots: readonly string[];
  /** Hosts that topologies may be downloaded from; empty for any that is not on this machine or link. */
  readonly topologyHosts: readonly string[];
  /** The user that programs for a lab run as; undefined for the service's own user. */
  readonly runAs?: JobUser | undefined;
  readonly statusMaxAgeMs: number;
  /** The service's own: what it keeps of labs is in it. */
  readonly dataDir: string;
  readonly statusTimeoutMs: number;
  /** For commands, logs, captures and terminals; several lab CLIs share them. */
  readonly nodePlaces: NodePlaces;
  /** For checks of topologies; several lab CLIs share them. */
  readonly checkPlaces: CheckPlaces;
  /** Absent for a lab CLI that is alone in its service. */
  readonly others?: () => readonly OtherLabs[];
  /** Aborted when the service shuts down: no run of the status command goes on. */
  readonly shutdown: AbortSignal;
  readonly statusObserver?: StatusObserver;
  /** Where workspaces are. */
  readonly workspaces: WorkspacePlaces;
  /** Makes a workspace unless it is there. */
  readonly makeWorkspace: (name: string, owner: string | null) => Promise<void>;
}
