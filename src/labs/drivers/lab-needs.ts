/** The requirements of a lab CLI on a machine, for `lab doctor`. */

/** A kind of machine that nodes run on: containers, libvirt, … */
export interface Provider {
  readonly name: string;
  /** `OK` when it can start nodes on this machine. */
  readonly status: string;
}

export interface LabNeeds {
  /** Absent: no node is a container of Docker. */
  readonly docker?: 'for-all-labs' | 'for-some-labs';
  /** Programs that it calls. */
  readonly programs: readonly string[];
  /**
   * By what it comes to the rights that it needs when the user is not root: a user namespace, where it makes network namespaces
   * itself; `sudo`, which must not ask for a password; or its program is SUID root, for the users of a group, where there is one.
   */
  readonly rights: 'namespaces' | 'sudo' | { readonly suidFor: string };
  /** How it tells which of its providers work here. Absent: it has one. */
  readonly providers?: {
    readonly arguments: readonly string[];
    /** Parses its output. Rejects unknown output. */
    readonly read: (output: string) => Promise<readonly Provider[]>;
    /** The remedy if none works. */
    readonly remedy: string;
  };
}
