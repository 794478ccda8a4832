/** What every command gets from `main.ts`: where it runs, where state is, where its words go. */
import type { Lab } from './model.ts';

export interface EngineContext {
  /** The directory with the state of all labs (LAB_HOME); absolute. */
  readonly home: string;
  /** The directory that the command was given in; a lab lives in exactly one. */
  readonly cwd: string;
  /** Where namespaces and our claims on them are: `/run`. */
  readonly runDir: string;
  /**
   * Whether the network namespaces of this person's labs can be seen from here. False without privileges when no
   * process holds their user namespace: then none of their labs exists in the kernel, whatever the state says.
   */
  readonly seesKernel: boolean;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Aborts with an `Interrupted` on SIGINT, SIGTERM or SIGHUP. */
  readonly interrupted: AbortSignal;
}

/** How a command may be told less or more. */
export interface Verbosity {
  readonly quiet: boolean;
}

/** `12 nodes`, `1 node`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

/** `3 nodes, 2 links`. */
export function sizeOf(lab: Lab): string {
  return `${counted(lab.nodes.length, 'node')}, ${counted(lab.links.length, 'link')}`;
}
