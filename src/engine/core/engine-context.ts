/** What every command is given: where it runs, where its state is, where its words go. */
export interface EngineContext {
  /** The directory with the state of all labs of this user (LAB_HOME); absolute. */
  readonly home: string;
  /** The directory that the command was given in; a lab lives in exactly one. */
  readonly cwd: string;
  /** Where the names of network namespaces and our claims on them are: `/run`. */
  readonly runDir: string;
  /**
   * Whether the network namespaces of this user's labs can be seen from here. False without privileges when no process
   * holds their user namespace: then none of their labs exists in the kernel, whatever the registry of labs says.
   */
  readonly seesKernel: boolean;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Aborts with an `Interrupted` on SIGINT, SIGTERM or SIGHUP. */
  readonly interrupted: AbortSignal;
}
