/**
 * How to run programs in the nodes of a lab. A driver returns argument lists, program first; `labs/nodes` runs them. It throws
 * an AppError `not-supported` with the reason if the lab CLI cannot do something.
 */
import type { Mapping } from '../../lib/mapping.ts';

/** A node of a lab that is up. */
export interface NodeAddress {
  /** Path of the lab CLI. */
  readonly cli: string;
  /** The lab instance, as the status calls it. */
  readonly lab: string;
  readonly node: string;
  /** The entry of the node in the status of the lab. */
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
   * Empty: on this machine. A program in a container outlives its terminal, and a program on this machine may: it is found by its
   * environment, in which `sessionVariable` has the name of the session.
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
  /** The command that prints the log of the node. */
  readonly log: (node: NodeAddress, options: NodeLogOptions) => readonly string[];
  /** The command that connects a person with the node. `look` runs a read-only program of this machine and returns its output. */
  readonly terminal: (
    node: NodeAddress,
    session: string,
    look: (command: readonly string[]) => Promise<string>,
  ) => Promise<TerminalCommand>;
}
