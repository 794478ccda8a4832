/**
 * How programs get into the nodes of a lab. A driver answers argument lists, program first; `labs/nodes` runs them. What
 * a lab CLI has no way for is an AppError `not-supported` that says why.
 */
import type { Mapping } from '../../lib/mapping.ts';

/** A node of a lab that is up. */
export interface NodeAddress {
  /** Path of the lab CLI. */
  readonly cli: string;
  /** The lab instance, as the status calls it. */
  readonly lab: string;
  readonly node: string;
  /** What the document of the lab says of the node. */
  readonly entry: Mapping;
}

export interface NodeLogOptions {
  readonly follow: boolean;
  /** The last so many lines; undefined for all. */
  readonly tail: number | undefined;
}

/** A program at a terminal, and the way into the node by which it is ended there. */
interface TerminalCommand {
  readonly command: readonly string[];
  /**
   * No words: right here. What runs elsewhere (in a container, by way of a daemon) outlives its terminal, and what runs here may: it is
   * found by its environment, in which `sessionVariable` has the name of the session.
   */
  readonly inside: readonly string[];
}

/** Marks what runs at a terminal of ours. */
export const sessionVariable = 'LAB_NODE_SESSION';

/** All throw AppError `not-supported`. */
export interface NodeDriver {
  /**
   * The words before a program and its arguments that run it in the node, with its standard streams and its exit code, and
   * without a shell in between.
   */
  readonly inside: (node: NodeAddress) => readonly string[];
  /** The same for a program of this machine (`tcpdump`, `tc`) that is to work in the network of the node. */
  readonly inNetwork: (node: NodeAddress) => readonly string[];
  /** What prints the log of the node. */
  readonly log: (node: NodeAddress, options: NodeLogOptions) => readonly string[];
  /** What connects a person with the node. `look` runs a program of this machine that only reports; it gives what that printed. */
  readonly terminal: (
    node: NodeAddress,
    session: string,
    look: (command: readonly string[]) => Promise<string>,
  ) => Promise<TerminalCommand>;
}
