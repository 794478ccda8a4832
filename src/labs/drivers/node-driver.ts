/**
 * Access to the nodes of a lab. A driver returns argument lists, program first; `labs/nodes` runs them. An access that the
 * lab CLI does not offer throws AppError `not-supported` with the reason.
 */
import type { Action } from '../model/actions.ts';
import type { Mapping } from '../../lib/mapping.ts';
import type { Look } from './containers-there.ts';
import type { InterfacesThere } from './net-dev.ts';
import type { Asker } from './status-driver.ts';

/** A node of a running lab. */
export interface NodeAddress {
  /** Path of the lab CLI. */
  readonly cli: string;
  /** The lab instance, as the status calls it. */
  readonly lab: string;
  readonly node: string;
  /** The entry of the node in the document of the lab. */
  readonly entry: Mapping;
  /** Whether programs run as LAB_API_JOB_USER, and not as the user of the service. */
  readonly isOtherUser: boolean;
}

export interface NodeLogOptions {
  readonly follow: boolean;
  /** The last so many lines; undefined for all. */
  readonly tail: number | undefined;
}

/** A program at a terminal, and the access to the node through which its processes are killed. */
interface TerminalCommand {
  readonly command: readonly string[];
  /**
   * Empty when they run on this machine. Processes in a container (a daemon started them) outlive their terminal, and processes
   * here may: they are found by their environment, in which `sessionVariable` holds the name of the session.
   */
  readonly inside: readonly string[];
}

/** The terminal that a person wants. */
export interface WantedTerminal {
  /** The value of `sessionVariable` in the environment of what runs there. */
  readonly session: string;
  /** The kind of the terminal: the value of TERM (term(7)). */
  readonly term: string;
  /** The program at the terminal; undefined for the one that the lab CLI starts for a person. */
  readonly program: readonly string[] | undefined;
}

/** A program that prints the running configuration of a node. */
export interface ConfigurationCommand {
  /** The words that lead into the node; empty for a program of this machine. */
  readonly inside: readonly string[];
  readonly program: readonly string[];
  /** Why the node has no configuration, by what the program says when it fails; undefined if it failed otherwise. */
  readonly whyNone?: (words: string) => string | undefined;
}

/** Marks the processes at a terminal of the service. */
export const sessionVariable = 'LAB_NODE_SESSION';

/** All throw AppError `not-supported`. */
export interface NodeDriver {
  /**
   * The words before a program and its arguments that run it in the node, with its standard streams and its exit code, and
   * without a shell in between.
   */
  readonly inside: (node: NodeAddress) => readonly string[];
  /** The same for a program of this machine (`tcpdump`, `tc`) that is to run in the network of the node. */
  readonly inNetwork: (node: NodeAddress) => readonly string[];
  /**
   * The interfaces of all nodes of a lab that are there, by node, where nodes are no containers. Absent: they are those of the
   * processes of containers.
   */
  readonly interfaces?: (lab: string, asker: Asker, look: Look) => Promise<InterfacesThere>;
  /**
   * The action that configures nodes from the topology after `reloadConfig` has given the others their configurations back. Absent:
   * the lab CLI takes no configurations back.
   */
  readonly afterReload?: Action;
  /** Nodes are ready as soon as they are up. Absent: what runs in them takes longer to start. */
  readonly isReadyWhenUp?: true;
  /** The command that prints the log of the node. */
  readonly log: (node: NodeAddress, options: NodeLogOptions) => readonly string[];
  readonly configuration: (node: NodeAddress) => ConfigurationCommand;
  /** Programs in nodes are processes of this machine. Absent: a daemon starts them, and they are reached in the node alone. */
  readonly runsOnMachine?: true;
  /** The command that connects a user with the node. `look` runs a read-only program of this machine and returns its output. */
  readonly terminal: (
    node: NodeAddress,
    wanted: WantedTerminal,
    look: (command: readonly string[]) => Promise<string>,
  ) => Promise<TerminalCommand>;
}
