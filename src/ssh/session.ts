/** A session of a connection (RFC 4254, section 6): a shell, a command or SFTP in the node, with a terminal or without one. */
import os from 'node:os';
import type { PseudoTtyInfo, ServerChannel, Session, WindowChangeInfo } from 'ssh2';
import type { LabNode } from '../labs/nodes/lab-node.ts';
import type { PipedCommand } from '../labs/nodes/piped-command.ts';
import type { Terminal, TerminalSize } from '../labs/nodes/terminal.ts';
import { messageOf } from '../lib/app-error.ts';
import { after, every } from '../lib/async/disposal.ts';
import { linkSignals } from '../lib/async/linked-signal.ts';
import { ChannelWriter } from './channel-writer.ts';
import { closeMs, maxTypedBytes, maxUnsentBytes } from './limits.ts';
import { commandProgram, sftpProgram, shellProgram } from './node-programs.ts';
import type { Transport } from './transport.ts';
import type { SshOperation, Visits } from './visits.ts';

/** OpenSSH has it for what failed before the command, and Ansible reads it as "unreachable". */
const notReached = 255;
const pollMs = 20;

/** The keys of a terminal that stand for signals (termios(3)). */
const keys: Readonly<Record<string, string>> = { INT: '\u0003', QUIT: '\u001c' };

/** Of the connection. */
export interface SessionHost {
  readonly visits: Visits;
  readonly transport: Transport;
  /** Aborted when the connection has ended. */
  readonly ended: AbortSignal;
  readonly idleMs: () => number;
  /** Lets the client send as the node reads; to be called with each new channel. */
  readonly keepWindow: (channel: ServerChannel) => void;
}

interface Wanted {
  readonly operation: SshOperation;
  /** Undefined: a shell. */
  readonly program: readonly string[] | undefined;
}

interface TerminalKind extends TerminalSize {
  readonly term: string;
}

/** The end of a program, as the client learns it. */
type Exit = { readonly code: number } | { readonly signal: string };

const side = (given: number, usual: number): number => (given >= 1 && given <= 1_000 ? given : usual);

function kindOf({ cols, rows }: WindowChangeInfo, term: unknown): TerminalKind {
  const isKnown = typeof term === 'string' && /^[\w.+-]{1,64}$/.test(term);
  return { columns: side(cols, 80), rows: side(rows, 24), term: isKnown ? term : 'xterm-256color' };
}

function signalName(number: number): string {
  const found = Object.entries(os.constants.signals).find(([, value]) => value === number);
  return found?.[0].replace(/^SIG/, '') ?? 'KILL';
}

class SshSession {
  readonly #host: SessionHost;
  readonly #session: Session;
  #kind: TerminalKind | undefined;
  #isStarted = false;
  #resize: (size: TerminalSize) => void = () => undefined;
  #signal: (name: string) => void = () => undefined;

  constructor(session: Session, host: SessionHost) {
    [this.#session, this.#host] = [session, host];
  }

  serve(): void {
    const session = this.#session;
    // Requests without a wish for an answer have no `accept`, whatever the types say.
    session.on(
      'pty',
      (accept: (() => void) | undefined, _reject, info: PseudoTtyInfo & { term?: unknown }) => {
        if (!this.#isStarted) this.#kind = kindOf(info, info.term);
        accept?.();
      },
    );
    session.on('window-change', (accept: (() => void) | undefined, _reject, info) => {
      if (this.#kind) this.#resize((this.#kind = kindOf(info, this.#kind.term)));
      accept?.();
    });
    session.on('signal', (accept: (() => void) | undefined, _reject, { name }) => {
      this.#signal(name.replace(/^SIG/, ''));
      accept?.();
    });
    session.on('shell', (accept) =>
      this.#start(accept, { operation: 'openNodeTerminal', program: undefined }),
    );
    session.on('exec', (accept, reject: (() => void) | undefined, { command }) => {
      if (command.includes('\0')) reject?.();
      else this.#start(accept, { operation: 'execInNode', program: commandProgram(command) });
    });
    session.on('subsystem', (accept, reject: (() => void) | undefined, { name }) => {
      if (name === 'sftp') this.#start(accept, { operation: 'sftpInNode', program: sftpProgram });
      else reject?.();
    });
  }

  #start(accept: () => ServerChannel | undefined, wanted: Wanted): void {
    // A session has one program.
    if (this.#isStarted) return;
    this.#isStarted = true;
    const channel = accept();
    if (channel === undefined) return;
    this.#host.keepWindow(channel);
    void this.#run(channel, wanted);
  }

  async #run(channel: ServerChannel, wanted: Wanted): Promise<void> {
    const writer = new ChannelWriter(channel, this.#host.transport);
    const closed = new AbortController();
    const close = (): void => closed.abort();
    channel.on('error', close);
    channel.once('close', close);
    this.#session.once('close', close);
    const { signal: gone, unlink } = linkSignals(closed.signal, this.#host.ended);
    gone.addEventListener('abort', () => writer.close(), { once: true });
    const exit = await this.#use(channel, writer, { ...wanted, gone });
    unlink();
    if (!writer.isClosed) {
      if ('code' in exit) channel.exit(exit.code);
      else channel.exit(exit.signal, false, '');
    }
    channel.end();
    // The rest of the input has no reader, and the end of the channel comes behind it.
    channel.unpipe();
    channel.resume();
  }

  async #use(
    channel: ServerChannel,
    writer: ChannelWriter,
    { operation, program, gone }: Wanted & { readonly gone: AbortSignal },
  ): Promise<Exit> {
    const { visits } = this.#host;
    const kind = this.#kind;
    try {
      return await visits.use(operation, gone, async (node: LabNode, opened) => {
        if (kind === undefined) {
          const command = await node.pipe(program ?? shellProgram, gone);
          opened();
          return this.#servePiped(channel, writer, command);
        }
        const terminal = await node.terminal({ ...kind, program });
        opened();
        return this.#serveTerminal(channel, { writer, terminal, gone });
      });
    } catch (error) {
      await writer.write(Buffer.from(`lab-api: ${messageOf(error)}${kind ? '\r' : ''}\n`), 'stderr');
      return { code: notReached };
    }
  }

  async #servePiped(channel: ServerChannel, writer: ChannelWriter, command: PipedCommand): Promise<Exit> {
    this.#signal = (name) => void command.signal(name);
    channel.pipe(command.stdin);
    await Promise.all([writer.pour(command.stdout), writer.pour(command.stderr, 'stderr')]);
    return { code: (await command.ended) ?? notReached };
  }

  async #serveTerminal(
    channel: ServerChannel,
    parts: { readonly writer: ChannelWriter; readonly terminal: Terminal; readonly gone: AbortSignal },
  ): Promise<Exit> {
    const { writer, terminal, gone } = parts;
    const close = (): void => void terminal.close();
    gone.addEventListener('abort', close, { once: true });
    if (gone.aborted) close();
    if (this.#kind) terminal.resize(this.#kind);
    this.#resize = (size) => terminal.resize(size);
    this.#signal = (name) => {
      const key = keys[name];
      if (key !== undefined) terminal.write(Buffer.from(key));
      else if (['HUP', 'KILL', 'TERM'].includes(name)) close();
    };
    const idle = this.#watchIdle(writer, close);
    const written = this.#passOutput(writer, terminal, idle.note);
    const stopReading = this.#passInput(channel, terminal, idle.note);
    const { exitCode, signal } = await terminal.ended;
    stopReading();
    idle.stop();
    await written();
    return signal === null ? { code: exitCode ?? notReached } : { signal: signalName(signal) };
  }

  #watchIdle(
    writer: ChannelWriter,
    close: () => void,
  ): { readonly note: () => void; readonly stop: () => void } {
    const end = (): void => {
      const sentence = '\r\nlab-api: nothing was typed or printed for long\r\n';
      // A client that reads nothing is not waited for.
      const stopTimer = after(closeMs, close);
      void writer.write(Buffer.from(sentence)).then(() => {
        stopTimer();
        close();
      });
    };
    let stop = after(this.#host.idleMs(), end);
    const note = (): void => {
      stop();
      stop = after(this.#host.idleMs(), end);
    };
    return { note, stop: () => stop() };
  }

  /** The result resolves when everything so far was sent. */
  #passOutput(writer: ChannelWriter, terminal: Terminal, note: () => void): () => Promise<void> {
    let unsentBytes = 0;
    let last = Promise.resolve();
    terminal.onOutput((bytes) => {
      note();
      unsentBytes += bytes.length;
      if (unsentBytes > maxUnsentBytes / 4) terminal.pause();
      last = writer.write(bytes).then(() => {
        unsentBytes -= bytes.length;
        if (unsentBytes <= maxUnsentBytes / 4) terminal.resume();
      });
    });
    return async () => last;
  }

  #passInput(channel: ServerChannel, terminal: Terminal, note: () => void): () => void {
    let stopWaiting = (): void => undefined;
    channel.on('data', (bytes: Buffer) => {
      note();
      terminal.write(bytes);
      if (terminal.unreadBytes <= maxTypedBytes) return;
      channel.pause();
      stopWaiting();
      // No event reports that the program has read.
      stopWaiting = every(pollMs, () => {
        if (terminal.unreadBytes > maxTypedBytes / 2) return;
        stopWaiting();
        channel.resume();
      });
    });
    return () => stopWaiting();
  }
}

export function serveSession(session: Session, host: SessionHost): void {
  new SshSession(session, host).serve();
}
