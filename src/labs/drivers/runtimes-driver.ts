/** Where a lab CLI runs containers. */
import type { LabEntry } from './status-driver.ts';

/** Where the containers of a lab run: in Docker, or as namespaces of this machine without Docker. */
export const labRuntimes = ['containers', 'namespaces'] as const;
export type LabRuntime = (typeof labRuntimes)[number];

/** Where new labs have their containers. */
export interface RuntimeInForce {
  readonly runtime: LabRuntime;
  /** A clause: why it is this one. */
  readonly why: string;
  /** A clause: why no lab can start in it. */
  readonly obstacle?: string | undefined;
}

export interface RuntimesDriver {
  /** For a new lab. `env`: the environment of the service. */
  readonly inForce: (env: Readonly<Record<string, string | undefined>>) => RuntimeInForce;
  /** Where the programs of a new lab are looked for; undefined: on the PATH of the lab CLI, which is `searchPath`. */
  readonly searchPath?: (env: Readonly<Record<string, string | undefined>>, searchPath: string) => string;
  /** Of a lab; null when that is unknown, or none of its nodes is a container. Never throws. */
  readonly of: (entry: LabEntry) => LabRuntime | null;
}
