/** Nodes over SSH, as the rest of the service knows it; `SshGateway` is it. */
import type { Duplex } from 'node:stream';
import type { Principal } from '../access/model/principal.ts';

export interface SshHostKey {
  /** As a line of known_hosts(5) has it behind the name of the server: `ssh-ed25519 AAAA…`. */
  readonly publicLine: string;
  /** `SHA256:…`, as `ssh` shows it. */
  readonly fingerprint: string;
}

export interface SshService {
  /** Where it listens for TCP; undefined when it does not. */
  readonly port: number | undefined;
  /** Made when it is asked for the first time. @throws Error with a sentence when it cannot be read, made or used. */
  readonly hostKey: () => Promise<SshHostKey>;
  /**
   * Serves a client until its stream ends, and destroys the stream then. `principal`: the user of a stream that was authenticated
   * already, who logs in with the method `none`. Resolves when the client is being served, or was turned away. Never rejects.
   */
  readonly accept: (
    stream: Duplex,
    remoteAddress: string | undefined,
    principal?: Principal,
  ) => Promise<void>;
}
