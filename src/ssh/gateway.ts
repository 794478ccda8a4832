/**
 * Nodes of labs over SSH. A connection may come over TCP, or in a stream that was authenticated by other means. ssh2 is loaded with
 * the first of them.
 */
import net from 'node:net';
import type { Duplex } from 'node:stream';
import type { Principal } from '../access/model/principal.ts';
import { messageOf } from '../lib/app-error.ts';
import { Counts } from '../lib/async/counts.ts';
import { deferred } from '../lib/async/deferred.ts';
import { SshConnection } from './connection.ts';
import { openHostKey, type HostKey } from './host-key.ts';
import {
  maxConnections,
  maxConnectionsPerUser,
  maxStrangersPerAddress,
  usualPatience,
  type SshPatience,
} from './limits.ts';
import { loadSsh2 } from './load-ssh2.ts';
import type { GatewayDeps } from './model.ts';
import { serviceStops } from './reasons.ts';
import type { SshService } from './ssh-service.ts';

export class SshGateway implements SshService {
  readonly #deps: GatewayDeps;
  readonly #patience: SshPatience;
  readonly #connections = new Set<SshConnection>();
  readonly #strangers = new Counts();
  readonly #users = new Counts();
  #listener: net.Server | undefined;
  #hostKey: Promise<HostKey> | undefined;
  #isClosed = false;

  constructor(deps: GatewayDeps, patience = usualPatience) {
    this.#deps = deps;
    this.#patience = patience;
  }

  async hostKey(): Promise<HostKey> {
    this.#hostKey ??= openHostKey(this.#deps.dataDir);
    try {
      return await this.#hostKey;
    } catch (error) {
      this.#hostKey = undefined;
      throw error;
    }
  }

  get port(): number | undefined {
    const address = this.#listener?.address();
    return address && typeof address === 'object' ? address.port : undefined;
  }

  /** Listens for TCP. @throws Error such as EADDRINUSE, and those of `hostKey`. */
  async listen(host: string, port: number): Promise<void> {
    await this.hostKey();
    const listener = net.createServer({ allowHalfOpen: false, noDelay: true }, (socket) => {
      void this.accept(socket, socket.remoteAddress);
    });
    const listening = deferred<void>();
    listener.once('error', listening.reject);
    listener.listen({ host, port }, () => listening.resolve());
    await listening.promise;
    listener.off('error', listening.reject);
    listener.on('error', (error) =>
      this.#deps.log.error('the socket of SSH failed', { cause: messageOf(error) }),
    );
    this.#listener = listener;
  }

  async accept(stream: Duplex, remoteAddress: string | undefined, principal?: Principal): Promise<void> {
    // Without a listener, an error that comes meanwhile would end the service.
    stream.on('error', () => undefined);
    const deps = this.#deps;
    const counted = deps.countedAddress(remoteAddress);
    const isFull =
      this.#connections.size >= maxConnections ||
      (principal === undefined && this.#strangers.of(counted) >= maxStrangersPerAddress);
    if (this.#isClosed || isFull) {
      if (isFull) deps.observer.loginEnded('refused');
      stream.destroy();
      return;
    }
    // Counted at once: hundreds may come before the package is loaded.
    const leave = principal === undefined ? this.#strangers.add(counted) : () => undefined;
    stream.once('close', leave);
    try {
      const [ssh2, { privateKey }] = await Promise.all([loadSsh2(), this.hostKey()]);
      if (stream.destroyed) return;
      if (this.#isClosed) return void stream.destroy();
      const connection = new SshConnection({
        deps,
        ssh2,
        hostKey: privateKey,
        patience: this.#patience,
        client: { stream, address: remoteAddress, principal },
        admit: (user) => this.#admit(user, stream, leave),
      });
      this.#connections.add(connection);
      const close = deps.observer.connectionOpened();
      stream.once('close', () => {
        this.#connections.delete(connection);
        close();
      });
      connection.start();
    } catch (error) {
      deps.log.error('a client of SSH could not be served', { cause: messageOf(error) });
      stream.destroy();
    }
  }

  /** Whether the user may have one more connection, which counts as theirs then. */
  #admit({ name }: Principal, stream: Duplex, leaveStrangers: () => void): boolean {
    leaveStrangers();
    const key = name ?? '';
    if (this.#users.of(key) >= maxConnectionsPerUser) return false;
    stream.once('close', this.#users.add(key));
    return true;
  }

  /** Takes no new clients, and says goodbye to those that are there. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const closed = deferred<void>();
    if (this.#listener) this.#listener.close(() => closed.resolve());
    else closed.resolve();
    for (const connection of this.#connections) connection.close(serviceStops);
    await closed.promise;
  }
}
