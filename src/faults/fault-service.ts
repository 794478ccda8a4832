/** The operations of faults for HTTP. */
import type { Fault, FaultTarget, WantedFault } from '../labs/model/fault.ts';

/** A lab by the lab CLI that has it. */
export interface LabOfCli {
  readonly id: string;
  readonly cli: string;
}

export interface FaultChange {
  readonly user: string | null;
  /** The job that sets it, and whose end heals it. The lab must be in the directory that the job has for itself. */
  readonly job?: { readonly id: string; readonly workdir: string };
  /** Runs right before anything changes. @throws AppError when the user may not change the lab any more. */
  readonly check: () => void;
}

export interface FaultService {
  /** The faults that a lab has now, oldest first. */
  of(lab: LabOfCli): readonly Fault[];
  /**
   * Sets a fault in place of the one that the link or node has.
   * @throws AppError `instance-not-found`, `link-not-found`, `node-not-found`, `interface-not-found`, `lab-not-up`, `conflict`,
   * `invalid-request`, `not-supported`, `storage-fault`, `lab-cli-…`; nothing has changed then.
   */
  set(lab: LabOfCli, wanted: WantedFault, change: FaultChange): Promise<Fault>;
  /** Heals a link or a node, or everything; that nothing is broken is fine. @throws AppError as `set`, for what stays broken. */
  heal(lab: LabOfCli, target: FaultTarget | undefined, change: FaultChange): Promise<void>;
}
