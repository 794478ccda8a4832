/** A terminal over a WebSocket: bytes in binary messages, everything else as JSON in text messages. */
import type { RawData, WebSocket } from 'ws';
import * as z from 'zod';
import type { Terminal } from '../../labs/nodes/terminal.ts';
import { after, Disposer, every } from '../../lib/async/disposal.ts';
import { hasLoginEnded } from '../../restricted/login-ends.ts';
import { pingClient } from './socket-pings.ts';

const sizeShape = {
  columns: z.int().min(1).max(1_000),
  rows: z.int().min(1).max(1_000),
};

/** The text messages that a client may send. */
const controlSchema = z.strictObject({ type: z.literal('resize'), ...sizeShape });

/** RFC 6455, section 7.4.1; from 4000 on they are ours. */
const closeCodes = { ended: 1000, stopping: 1001, wrongMessage: 1008, idle: 4000, loginEnded: 4001 } as const;

/** As much as may be on its way to a client that reads slowly; the terminal is paused then. */
const maxUnsentBytes = 256 * 1024;
/** As much as may wait for a program that reads slowly; nothing more is read from the client then. */
const maxUnreadBytes = 64 * 1024;
const pollMs = 20;

function controlOf(text: string): z.output<typeof controlSchema> | undefined {
  try {
    return controlSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function bytesOf(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}

interface TerminalLimits {
  /** Without a byte in either direction. */
  readonly idleMs: number;
  /** Aborted when the service stops, or the login ends. */
  readonly shutdown: AbortSignal;
}

/** Joins a terminal with the client, until one of them has ended; then the other is ended too. */
class TerminalSocket {
  readonly #socket: WebSocket;
  readonly #terminal: Terminal;
  readonly #limits: TerminalLimits;
  readonly #disposer = new Disposer();
  #stopIdleTimer = (): void => undefined;
  #stopWaiting: (() => void) | undefined;
  readonly #pings: ReturnType<typeof pingClient>;

  constructor(socket: WebSocket, terminal: Terminal, limits: TerminalLimits) {
    this.#socket = socket;
    this.#terminal = terminal;
    this.#limits = limits;
    this.#pings = pingClient(socket);
  }

  serve(): void {
    const [socket, terminal] = [this.#socket, this.#terminal];
    terminal.onOutput((bytes) => this.#send(bytes));
    void terminal.ended.then((end) => {
      socket.send(JSON.stringify({ type: 'exit', ...end }));
      socket.close(closeCodes.ended, 'the program at the terminal has ended');
    });
    socket.on('message', (data, isBinary) => this.#take(data, isBinary));
    // A message that is too long, or none at all: the library closes with the code that says so.
    socket.on('error', () => undefined);
    socket.once('close', () => {
      this.#stopIdleTimer();
      this.#stopWaiting?.();
      this.#disposer.dispose();
      void terminal.close();
    });
    this.#disposer.add(this.#pings.stop);
    const stop = (): void => this.#stop();
    this.#limits.shutdown.addEventListener('abort', stop);
    this.#disposer.add(() => this.#limits.shutdown.removeEventListener('abort', stop));
    if (this.#limits.shutdown.aborted) stop();
    this.#noteActivity();
  }

  #stop(): void {
    const { shutdown } = this.#limits;
    const isOfLogin = hasLoginEnded(shutdown);
    const socket = this.#socket;
    if (isOfLogin) socket.close(closeCodes.loginEnded, 'the login does not hold any more');
    else socket.close(closeCodes.stopping, 'the service stops');
    // Nothing more is typed or told meanwhile, also to a client that does not close its end.
    void this.#terminal.close();
  }

  #noteActivity(): void {
    this.#stopIdleTimer();
    this.#stopIdleTimer = after(this.#limits.idleMs, () =>
      this.#socket.close(closeCodes.idle, 'nothing was typed or printed for long'),
    );
  }

  #send(bytes: Buffer): void {
    const [socket, terminal] = [this.#socket, this.#terminal];
    if (socket.readyState !== socket.OPEN) return;
    this.#noteActivity();
    socket.send(bytes, () => {
      if (socket.bufferedAmount <= maxUnsentBytes) terminal.resume();
    });
    if (socket.bufferedAmount > maxUnsentBytes) terminal.pause();
  }

  #take(data: RawData, isBinary: boolean): void {
    const [socket, terminal] = [this.#socket, this.#terminal];
    if (socket.readyState !== socket.OPEN) return;
    this.#noteActivity();
    const bytes = bytesOf(data);
    if (isBinary) {
      terminal.write(bytes);
      if (terminal.unreadBytes > maxUnreadBytes) this.#waitForProgram();
      return;
    }
    const control = controlOf(bytes.toString('utf8'));
    if (control) terminal.resize(control);
    else
      socket.close(
        closeCodes.wrongMessage,
        'a text message must be {"type":"resize","columns":…,"rows":…}; what is typed goes in binary ones',
      );
  }

  /** Polls until the program has read its input: no event reports that. */
  #waitForProgram(): void {
    this.#socket.pause();
    this.#stopWaiting ??= every(pollMs, () => {
      if (this.#terminal.unreadBytes > maxUnreadBytes / 2) return;
      this.#stopWaiting?.();
      this.#stopWaiting = undefined;
      // Its answers come with what it has sent meanwhile.
      this.#pings.noteAlive();
      this.#socket.resume();
    });
  }
}

/** Serves a client that has opened a terminal. */
export function serveTerminal(socket: WebSocket, terminal: Terminal, limits: TerminalLimits): void {
  new TerminalSocket(socket, terminal, limits).serve();
}
