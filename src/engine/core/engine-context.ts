/** The environment of every command: its directories and its output. */
export interface EngineContext {
  /** The directory with the state of all labs of this user (LAB_HOME); absolute. */
  readonly home: string;
  /** The working directory of the command; a lab belongs to exactly one directory. */
  readonly cwd: string;
  /** The directory for the names of network namespaces and our claims on them: `/run`. */
  readonly runDir: string;
  /**
   * Whether the network namespaces of this user's labs are visible. False without privileges if no process holds the
   * user namespace: then none of the user's labs exists in the kernel, even if the registry lists some.
   */
  readonly seesKernel: boolean;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Aborts with an `Interrupted` on SIGINT, SIGTERM or SIGHUP. */
  readonly interrupted: AbortSignal;
}
