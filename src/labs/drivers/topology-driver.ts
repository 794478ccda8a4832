/** The computed topology of a lab, and the positions of its nodes, as a lab CLI reports them. */
import type { Form } from '../system/foreign-file.ts';
import type { Finding } from './placed-problems.ts';
import type { ReportsDriver } from './reports-driver.ts';
import type { RunResult } from '../system/run.ts';
import type { LabEntry } from './status-driver.ts';
import type { LabTopology } from './topology.ts';

/** By the name of the node: its position, in pixels to the right and down. */
export type NodePositions = Readonly<Record<string, { readonly x: number; readonly y: number }>>;

/** The files in which other tools of the lab CLI keep the positions of nodes. */
export interface LayoutFileDriver {
  /** The absolute path of the file of a lab, which may not exist; undefined when the path is unknown. Never rejects. */
  readonly pathOf: (lab: {
    readonly instance: string;
    /** The directory of the lab, a real path. */
    readonly directory: string;
    readonly entry: LabEntry | undefined;
  }) => Promise<string | undefined>;
  /** The positions in the text of such a file; null for any other text. */
  readonly positions: Form<NodePositions | null>;
  /**
   * The same text with these positions and nothing else changed; null when it is not such a file, or when a part of it would
   * be lost. Nodes without a position here keep theirs.
   */
  readonly changed: Form<string | null, NodePositions>;
}

/** Reads the file in which the lab CLI keeps the computed lab. */
export interface TopologyDriver {
  /** The name of that file, relative to the directory of the lab. */
  readonly snapshotName: (lab: string) => string;
  /**
   * The id of the lab that `up` starts with the option `snapshot` in a directory; undefined if it is unknown. Absent: none can be
   * started so. Never rejects.
   */
  readonly keptInstance?: (
    directory: string,
    run: (args: readonly string[]) => Promise<RunResult>,
  ) => Promise<string | undefined>;
  /**
   * @throws AppError `lab-cli-failed`, `lab-cli-timeout` when it cannot be read; `not-supported` when the lab CLI has no
   * computed topologies.
   */
  readonly read: (
    directory: string,
    /** Runs the lab CLI to its end, in that directory; does not throw for a failure of the CLI. */
    run: (args: readonly string[]) => Promise<RunResult>,
    lab: string,
  ) => Promise<LabTopology>;
  /** The mistakes and warnings that `create` printed about a topology. Absent: `errorSentence` says all that there is. */
  readonly findings?: (output: string, hasFailed: boolean) => readonly Finding[];
  /** Reports that the lab CLI makes of the computed lab. Absent: none. */
  readonly reports?: ReportsDriver;
  /** Absent: no other tool keeps the positions of nodes. */
  readonly layoutFile?: LayoutFileDriver;
}
