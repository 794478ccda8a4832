/** What the service asks of a lab CLI about files in which other tools of its people keep where the nodes of a lab are. */
import type { LabEntry } from './status-driver.ts';

/** By the name of a node: where it is, in pixels to the right and down. */
export type NodePositions = Readonly<Record<string, { readonly x: number; readonly y: number }>>;

export interface LayoutFileDriver {
  /** Where the file of a lab is, absolute, if there is one; undefined when nobody can tell. Never rejects. */
  readonly pathOf: (lab: {
    readonly instance: string;
    /** That of the lab, a real path. */
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
