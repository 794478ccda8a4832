/** How to read the computed topology from a lab CLI: nodes, links and all addresses. */
import type { RunResult } from '../system/run.ts';
import type { LabEntry } from './status-driver.ts';
import type { LabTopology } from './topology.ts';

/** By the name of a node: where it is, in pixels to the right and down. */
export type NodePositions = Readonly<Record<string, { readonly x: number; readonly y: number }>>;

export interface LayoutFileDriver {
  /** The absolute path of the file of a lab, if there is one; undefined if unknown. Never rejects. */
  readonly pathOf: (lab: {
    readonly instance: string;
    /** The directory of the lab, a real path. */
    readonly directory: string;
    readonly entry: LabEntry | undefined;
  }) => Promise<string | undefined>;
  /** Those in the text of such a file; undefined for what is none. Never throws. */
  readonly positionsIn: (text: string) => NodePositions | undefined;
  /**
   * The same text with these positions, and all else as it is; undefined when it is no such file, or not all of it could be
   * kept. A node that is not named stays where it is. Never throws.
   */
  readonly withPositions: (text: string, positions: NodePositions) => string | undefined;
}

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
