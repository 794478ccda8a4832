/** What the service asks of a lab CLI about the lab that it computed: nodes, links and all addresses. */
import type { RunResult } from '../system/run.ts';
import type { LayoutFileDriver } from './layout-file.ts';
import type { LabTopology } from './topology.ts';

/** From the file in which the lab CLI keeps the lab that it computed. */
export interface TopologyDriver {
  /** That file of a lab, relative to the directory of the lab. */
  readonly snapshotName: (lab: string) => string;
  /**
   * @throws AppError `lab-cli-failed`, `lab-cli-timeout` when it cannot be read; `not-supported` when the lab CLI cannot tell
   * a topology at all.
   */
  readonly read: (
    directory: string,
    /** Runs the lab CLI to its end, in that directory; does not throw for a failure of the CLI. */
    run: (args: readonly string[]) => Promise<RunResult>,
    lab: string,
  ) => Promise<LabTopology>;
  /** Where other tools keep the positions of its nodes. Absent: nowhere. */
  readonly layoutFile?: LayoutFileDriver;
}
