/** The needs of a lab CLI on a machine, for `lab doctor` and `/readyz`. */
import type { KernelFeature } from '../../lib/net/kernel-features.ts';

/** A technology that runs nodes: containers, libvirt, … */
interface Provider {
  readonly name: string;
  /** `OK` when it can start nodes on this machine. */
  readonly status: string;
}

/** Whether labs can start on this machine now, as far as files and sockets tell: no program runs for it. */
export interface Ability {
  readonly isAble: boolean;
  /** Sentences: what cannot be used. */
  readonly lacks: readonly string[];
}

export interface LabNeeds {
  /** Absent: labs can start where `programs` are. `env`: the environment of the lab CLI. Never rejects. */
  readonly ability?: (env: Readonly<Record<string, string | undefined>>) => Promise<Ability>;
  /** Used by links and by protocols of nodes; a lab without such links or protocols starts without. */
  readonly kernel: readonly KernelFeature[];
  /** Absent: no node is a container of Docker. */
  readonly docker?: 'for-all-labs' | 'for-some-labs';
  /** Programs that the lab CLI calls. */
  readonly programs: readonly string[];
  /**
   * How the lab CLI gets its rights when the user is not root: by a user namespace, in which it creates network namespaces; by
   * `sudo`, which must not ask for a password; or by a SUID program, for the users of a group if there is one.
   */
  readonly rights: 'namespaces' | 'sudo' | { readonly suidFor: string };
  /** How the lab CLI reports which of its providers work here. Absent: it has one provider. */
  readonly providers?: {
    readonly arguments: readonly string[];
    /** Reads its output. Rejects when the output cannot be parsed. */
    readonly read: (output: string) => Promise<readonly Provider[]>;
    /** Advice for the user when no provider works. */
    readonly remedy: string;
  };
}
