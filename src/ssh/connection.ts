/** One client of the gateway, from its first byte to its end. */
import { setMaxListeners } from 'node:events';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type * as Ssh2 from 'ssh2';
import type { AuthContext, Connection, ServerChannel, Session, TcpipRequestInfo } from 'ssh2';
import type { Principal } from '../access/model/principal.ts';
import { messageOf } from '../lib/app-error.ts';
import { after } from '../lib/async/disposal.ts';
import type { ErrorCode } from '../lib/error-codes.ts';
import { hasLoginEnded } from '../restricted/login-ends.ts';
import { keepWindow, narrowWindows } from './channel-window.ts';
import { Forwards } from './forward.ts';
import {
  closeMs,
  maxChannels,
  maxConnectionsPerUser,
  maxHandshakesBeforeLogin,
  maxUnanswered,
  type SshPatience,
} from './limits.ts';
import { SshLogin, type Judged } from './login.ts';
import type { GatewayDeps } from './model.ts';
import { refuseChannel, sayGoodbye, serviceStops } from './reasons.ts';
import { serveSession } from './session.ts';
import type { LoginResult } from './ssh-observer.ts';
import { Transport } from './transport.ts';
import { auditEntry, Visits } from './visits.ts';

/** Without compression, which an attacker could have expand a little data to a lot, and without what is out of date. */
const algorithms: Ssh2.Algorithms = {
  kex: [
    'curve25519-sha256',
    'curve25519-sha256@libssh.org',
    'ecdh-sha2-nistp256',
    'ecdh-sha2-nistp384',
    'ecdh-sha2-nistp521',
    'diffie-hellman-group16-sha512',
    'diffie-hellman-group14-sha256',
  ],
  cipher: ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com', 'aes128-ctr', 'aes192-ctr', 'aes256-ctr'],
  hmac: ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com', 'hmac-sha2-256', 'hmac-sha2-512'],
  compress: ['none'],
};

/** Fields of ssh2 that its types omit. */
interface UnusedSession {
  readonly ['_channel']?: object;
  readonly ['_chanInfo']: Readonly<Record<'incoming' | 'outgoing', { readonly id: number }>>;
}
interface Keeper {
  readonly ['_chanMgr']: { readonly remove: (id: number) => void };
  readonly ['_protocol']: { readonly channelClose: (id: number) => void };
}

/** ssh2 1.17 neither forgets a session that the client closes before a program runs in it, nor closes it. */
function forgetUnused(connection: Connection, session: Session): void {
  const { _channel: channel, _chanInfo: ids } = session as unknown as UnusedSession;
  if (channel) return;
  const { _chanMgr: kept, _protocol: protocol } = connection as unknown as Keeper;
  protocol.channelClose(ids.outgoing.id);
  kept.remove(ids.incoming.id);
}

interface Client {
  readonly stream: Duplex;
  readonly address: string | undefined;
  /** The user of a stream that was authenticated already: no password is asked for. */
  readonly principal: Principal | undefined;
}

interface ConnectionOptions {
  readonly deps: GatewayDeps;
  readonly ssh2: typeof Ssh2;
  readonly hostKey: string;
  readonly patience: SshPatience;
  readonly client: Client;
  /** Whether the user may have one more connection. */
  readonly admit: (principal: Principal) => boolean;
}

const errorCodes: Readonly<Partial<Record<Judged['kind'], ErrorCode>>> = {
  wrong: 'unauthorized',
  barred: 'unauthorized',
  locked: 'too-many-attempts',
  busy: 'too-many-attempts',
};

/** The last words to clients that may try no more. */
const ends: Readonly<Partial<Record<Judged['kind'], string>>> = {
  locked: 'too many failed logins from this address; wait a minute',
  'too-many': 'too many passwords or keys were tried',
};

const results: Readonly<Partial<Record<Judged['kind'], LoginResult>>> = {
  known: 'accepted',
  wrong: 'wrong',
  barred: 'wrong',
  locked: 'locked',
  busy: 'busy',
};

export class SshConnection {
  readonly #options: ConnectionOptions;
  readonly #transport: Transport;
  readonly #ended = new AbortController();
  /** Also those that wait for an answer. */
  readonly #channels = new Set<object>();
  readonly #startedMs = performance.now();
  #connection: Connection | undefined;
  #userName = '';
  #principal: Principal | undefined;
  #handshakes = 0;
  #hasNotedEnd = false;
  #isClosing = false;
  #stopLoginTimer: () => void;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    const { stream } = options.client;
    setMaxListeners(0, this.#ended.signal);
    this.#transport = new Transport(stream);
    stream.once('close', () => this.#end());
    // ssh2 ends its half when the client says goodbye, or sends what it should not; the client may keep the other half.
    stream.once('finish', () => this.close());
    this.#stopLoginTimer = after(options.patience.loginMs, () => this.close('the time to log in is up'));
  }

  get #isLoggedIn(): boolean {
    return this.#principal !== undefined;
  }

  start(): void {
    const { ssh2, hostKey, client, patience } = this.#options;
    const keepAlive = { keepaliveInterval: patience.askMs, keepaliveCountMax: maxUnanswered };
    // A server for each connection, which listens to nothing: ssh2 does not tell it which stream a client came on.
    const server = new ssh2.Server(
      { hostKeys: [hostKey], algorithms, ident: 'lab-api', ...keepAlive },
      (connection) => this.#take(connection),
    );
    server.injectSocket(client.stream as Socket);
    this.#transport.watch();
  }

  /** Says goodbye, and soon cuts the connection off. `why`: for the user; empty where the client has ended it. */
  close(why = ''): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    const { stream } = this.#options.client;
    if (this.#connection === undefined) stream.destroy();
    else sayGoodbye(this.#connection, why);
    const stopTimer = after(closeMs, () => stream.destroy());
    stream.once('close', stopTimer);
    this.#end();
  }

  #end(): void {
    this.#stopLoginTimer();
    if (!this.#isLoggedIn && !this.#hasNotedEnd) this.#options.deps.observer.loginEnded('gave-up');
    this.#hasNotedEnd = true;
    this.#ended.abort();
  }

  #take(connection: Connection): void {
    const { deps, ssh2, client } = this.#options;
    this.#connection = connection;
    const { address, principal: known } = client;
    const login = new SshLogin({ deps, ssh2, address, known });
    narrowWindows(connection);
    connection.on('error', () => this.close());
    connection.on('handshake', () => {
      this.#handshakes += 1;
      if (this.#handshakes > maxHandshakesBeforeLogin && !this.#isLoggedIn) this.close('log in first');
    });
    connection.on('authentication', (context) => {
      this.#userName = context.username;
      void this.#judge(login, context);
    });
    connection.once('ready', () => this.#serve(connection));
  }

  async #judge(login: SshLogin, context: AuthContext): Promise<void> {
    try {
      const judged = await login.judge(context);
      // It has gone meanwhile: there is no login to count.
      if (judged.kind === 'known' && this.#ended.signal.aborted) return;
      if (judged.kind === 'known') this.#principal = judged.principal;
      if (judged.kind !== 'nothing') this.#noteLogin(judged);
      const end = ends[judged.kind];
      // A refusal before it would have the client ask for one more password.
      if (end === undefined) login.answer(context, judged);
      else this.close(end);
    } catch (error) {
      this.#options.deps.log.error('a login over SSH could not be judged', { cause: messageOf(error) });
      this.close('a fault of the service; its log has the details');
    }
  }

  #noteLogin(judged: Judged): void {
    const { deps, client } = this.#options;
    const { address } = client;
    const result = results[judged.kind];
    if (result !== undefined) deps.observer.loginEnded(result);
    if (judged.kind === 'wrong' || judged.kind === 'barred') {
      const cause = judged.kind === 'barred' ? { cause: judged.why } : {};
      deps.log.info('a login failed', { address, over: 'SSH', ...cause });
      if (judged.locksOut)
        deps.log.warn('an address is locked out after too many failed logins', { address });
    }
    const code = errorCodes[judged.kind];
    if (code === undefined && judged.kind !== 'known') return;
    const facts = { address, userName: this.#userName, principal: this.#principal };
    const durationMs = Math.round(performance.now() - this.#startedMs);
    const barred =
      judged.kind === 'barred'
        ? { user: judged.user, ...(judged.tokenId && { tokenId: judged.tokenId }) }
        : {};
    deps.audit.note({
      ...auditEntry('loginOverSsh', facts, { durationMs, ...(code && { code }) }),
      ...barred,
    });
  }

  #serve(connection: Connection): void {
    const { deps, client, admit } = this.#options;
    const principal = this.#principal;
    this.#stopLoginTimer();
    if (principal === undefined || !admit(principal))
      return this.close(`${maxConnectionsPerUser} connections of this user are open already`);
    const { shutdown } = deps.partsOf(principal);
    const close = (): void => this.close(hasLoginEnded(shutdown) ? messageOf(shutdown.reason) : serviceStops);
    shutdown.addEventListener('abort', close);
    this.#ended.signal.addEventListener('abort', () => shutdown.removeEventListener('abort', close));
    if (shutdown.aborted) return close();
    const facts = { address: client.address, userName: this.#userName, principal };
    const visits = new Visits({ client: facts, deps });
    const host = {
      visits,
      transport: this.#transport,
      ended: this.#ended.signal,
      idleMs: () => deps.live.terminalIdleMs,
      // At once: it could send on while the connection closes.
      keepWindow: (channel: ServerChannel) => keepWindow(connection, channel, () => client.stream.destroy()),
    };
    const refuse = (reject: () => void, why = `${maxChannels} channels are open already`): void =>
      refuseChannel(connection, reject, why);
    connection.on('session', (accept, reject) => {
      if (this.#channels.size >= maxChannels) return refuse(reject);
      const session = accept();
      this.#channels.add(session);
      session.once('close', () => {
        this.#channels.delete(session);
        forgetUnused(connection, session);
      });
      serveSession(session, host);
    });
    const forwards = new Forwards(host);
    connection.on('tcpip', (accept, reject, info) => {
      if (this.#channels.size >= maxChannels) return refuse(reject);
      void this.#forward(forwards, { accept, reject: (why) => refuse(reject, why), info });
    });
  }

  async #forward(
    forwards: Forwards,
    asked: {
      readonly accept: () => ServerChannel;
      readonly reject: (why: string) => void;
      readonly info: TcpipRequestInfo;
    },
  ): Promise<void> {
    const place = {};
    this.#channels.add(place);
    // ssh2 keeps a channel until the client has closed it, too.
    let closed: Promise<void> | undefined;
    const accept = (): ServerChannel => {
      const channel = asked.accept();
      closed = new Promise((resolve) => channel.once('close', () => resolve()));
      return channel;
    };
    await forwards.serve(accept, asked.reject, asked.info);
    await closed;
    this.#channels.delete(place);
  }
}
