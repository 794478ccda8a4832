/** The gateway of SSH in the process of the test, and nodes that are objects of the test. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import type { AuditEntry } from '../../src/access/model/audit.ts';
import type { LoginOutcome } from '../../src/access/model/logins.ts';
import { anybody, type Principal } from '../../src/access/model/principal.ts';
import { AppError } from '../../src/lib/app-error.ts';
import { SshGateway } from '../../src/ssh/gateway.ts';
import { usualPatience, type SshPatience } from '../../src/ssh/limits.ts';
import type { GatewayDeps } from '../../src/ssh/model.ts';
import { MemoryLogger } from './memory-logger.ts';

const ann: Principal = { ...anybody, name: 'ann', role: 'operator', loggedInBy: 'token' };

/** A terminal whose program is the test. */
class TerminalOfTest {
  /** The input of the user. */
  typed = '';
  unreadBytes = 0;
  isPaused = false;
  readonly sizes: string[] = [];
  isClosed = false;
  readonly ended: Promise<{ readonly exitCode: number | null; readonly signal: number | null }>;
  end: (exitCode: number | null, signal?: number) => void = () => undefined;
  print: (text: string | Buffer) => void = () => undefined;

  constructor() {
    this.ended = new Promise((resolve) => {
      this.end = (exitCode, signal) => resolve({ exitCode, signal: signal ?? null });
    });
  }

  onOutput(listener: (bytes: Buffer) => void): void {
    this.print = (text) => listener(Buffer.from(text));
  }

  write(bytes: Buffer): void {
    this.typed += bytes.toString();
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
  }

  resize({ columns, rows }: { readonly columns: number; readonly rows: number }): void {
    this.sizes.push(`${columns}x${rows}`);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.end(null, 1);
    return Promise.resolve();
  }
}

/** A node whose commands run here, and whose connections begin here. */
class NodeOfTest {
  readonly terminals: (TerminalOfTest & { readonly wanted: object })[] = [];
  /** How many of its commands run. */
  running = 0;
  /** The signals that its commands got. */
  readonly signals: string[] = [];
  /** How many programs that make connections there were. */
  dialers = 0;
  /** Ends the last of them. */
  endDialer: () => void = () => undefined;

  async pipe(program: readonly string[], gone: AbortSignal): Promise<object> {
    const [file = '', ...args] = program;
    const child = spawn(file, args, { stdio: 'pipe', env: { PATH: '/usr/bin:/bin', HOME: '/' } });
    child.stdin.on('error', () => undefined);
    gone.addEventListener('abort', () => child.kill('SIGKILL'));
    this.running += 1;
    const ended = once(child, 'close').then(([code]) => {
      this.running -= 1;
      return code as number | null;
    });
    const { stdin, stdout, stderr } = child;
    return Promise.resolve({
      stdin,
      stdout,
      stderr,
      ended,
      signal: (name: string) => this.signals.push(name),
    });
  }

  async terminal(wanted: object): Promise<object> {
    const terminal = Object.assign(new TerminalOfTest(), { wanted });
    this.terminals.push(terminal);
    return Promise.resolve(terminal);
  }

  async dialer(): Promise<object> {
    this.dialers += 1;
    const ended = new Promise<void>((resolve) => (this.endDialer = resolve));
    const connect = async (host: string, port: number): Promise<net.Socket> => {
      const socket = net.connect({ host, port, allowHalfOpen: true });
      await once(socket, 'connect').catch((error: Error) => {
        throw new AppError('lab-cli-failed', error.message);
      });
      return socket;
    };
    return Promise.resolve({ ended, connect, close: () => this.endDialer() });
  }
}

export class GatewayOfTest {
  /** The ends of logins, in order. */
  readonly ends: string[] = [];
  readonly audit: AuditEntry[] = [];
  readonly log = new MemoryLogger();
  readonly node = new NodeOfTest();
  readonly shutdown = new AbortController();
  /** The connections that are open. */
  open = 0;
  /** The user of the password `right`. */
  principal = ann;
  /** The outcome for any other password. */
  otherwise: () => LoginOutcome | Promise<LoginOutcome> = () => ({ kind: 'wrong', locksOut: false });
  /** The labs that a list shows. */
  labs: readonly { readonly id: string; readonly name: string }[] = [];
  readonly #live = { terminalIdleMs: 60_000 };
  readonly gateway: SshGateway;

  constructor(dataDir: string, patience: Partial<SshPatience> = {}) {
    this.gateway = new SshGateway(this.#deps(dataDir), { ...usualPatience, ...patience });
  }

  #deps(dataDir: string): GatewayDeps {
    const labs = {
      find: async (lab: string) => {
        if (lab !== 'demo') throw new AppError('instance-not-found', `there is no lab instance "${lab}"`);
        const node = (name: string): NodeOfTest => {
          if (name === 'r1') return this.node;
          throw new Error(`the node ${name} has a fault`);
        };
        return Promise.resolve({ node });
      },
      list: async () => Promise.resolve({ value: this.labs }),
    };
    return {
      logins: {
        isRequired: true,
        byPassword: (_name: string, password: string) => this.#judge(password),
        byToken: (secret: string) => this.#judge(secret) as LoginOutcome,
        byKey: () => undefined,
      },
      partsOf: () => ({ labs, shutdown: this.shutdown.signal }),
      countedAddress: () => 'here',
      audit: { note: (entry: AuditEntry) => void this.audit.push(entry) },
      live: this.#live,
      dataDir,
      observer: {
        connectionOpened: () => {
          this.open += 1;
          return () => void (this.open -= 1);
        },
        loginEnded: (end: string) => void this.ends.push(end),
      },
      log: this.log,
    } as unknown as GatewayDeps;
  }

  #judge(secret: string): LoginOutcome | Promise<LoginOutcome> {
    return secret === 'right' ? { kind: 'known', principal: this.principal } : this.otherwise();
  }

  /** Of terminals that are opened from now on. */
  set terminalIdleMs(ms: number) {
    this.#live.terminalIdleMs = ms;
  }

  /** @returns its port */
  async listen(): Promise<number> {
    await this.gateway.listen('127.0.0.1', 0);
    return this.gateway.port!;
  }
}
