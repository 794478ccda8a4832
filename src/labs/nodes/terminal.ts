/** A person's connection with a node: the driver's own program for that, in a pseudo-terminal. */
import type * as NodePty from '@lydell/node-pty';
import { setTimeout as delay } from 'node:timers/promises';
import { AppError, messageOf } from '../../lib/app-error.ts';
import { deferred } from '../../lib/async/deferred.ts';
import { hideDescriptor, withoutGaps } from '../../lib/processes/hidden-descriptors.ts';
import { ProcessScanner } from '../../lib/processes/process-scanner.ts';
import { sessionVariable, type NodeAddress, type NodeDriver } from '../drivers/node-driver.ts';
import { runCaptured } from '../system/run.ts';
import { wayFailure } from './node-session.ts';
import { PtyInput } from './pty-input.ts';
import { nameSession, placeGuard, type SessionGuard } from './session-guard.ts';

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

export interface WantedTerminal extends TerminalSize {
  /** The kind of the terminal: the value of TERM (term(7)). */
  readonly term?: string;
  /** The program at the terminal; undefined for the one that the lab CLI starts for a person. */
  readonly program?: readonly string[] | undefined;
}

export interface TerminalEnd {
  readonly exitCode: number | null;
  /** The number of the signal that ended the program; null when it ended by itself. */
  readonly signal: number | null;
}

const lookTimeoutMs = 20_000;
/** How long what is at the terminal may take to end after it was hung up. */
const hangUpMs = 300;
const pollMs = 100;
const usualTerm = 'xterm-256color';
const maxLooks = 30;

const scanner = new ProcessScanner(sessionVariable);

/** It comes with the program unless it was left out (`npm install --omit=optional`), or has no binary for this machine. @throws AppError `not-supported`. */
export async function loadPty(): Promise<typeof NodePty> {
  try {
    return await import('@lydell/node-pty');
  } catch (error) {
    throw new AppError(
      'not-supported',
      'terminals need the optional package @lydell/node-pty, which is not installed: npm install @lydell/node-pty',
      { cause: messageOf(error) },
    );
  }
}

/** Ends the processes of this machine that were started at the terminal, whatever they made of its end. */
async function endProcesses(session: string): Promise<void> {
  await delay(hangUpMs);
  for (let look = 0; look < maxLooks; look += 1) {
    const left = (await scanner.scan()).filter(({ tag }) => tag === session);
    if (left.length === 0) return;
    for (const { pid } of left) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // Gone by itself, or another user's: that of `sudo`, which ends with what it started.
      }
    }
    await delay(pollMs);
  }
}

interface TerminalParts {
  readonly pty: NodePty.IPty;
  readonly session: string;
  readonly guard: SessionGuard;
  /** Whether it is this machine that the guard watches, where we end the session ourselves. */
  readonly isGuardHere: boolean;
  /** Called when nothing of it is left. */
  readonly leave: () => void;
}

export class Terminal {
  /** Resolves when the program at the terminal has ended, by itself or by `close`. */
  readonly ended: Promise<TerminalEnd>;
  readonly #parts: TerminalParts;
  readonly #input: PtyInput;
  #closing: Promise<void> | undefined;
  #hasEnded = false;

  constructor(parts: TerminalParts) {
    this.#parts = parts;
    this.#input = new PtyInput(parts.pty);
    const ended = deferred<TerminalEnd>();
    this.ended = ended.promise;
    parts.pty.onExit(({ exitCode, signal }) => {
      this.#hasEnded = true;
      ended.resolve(signal ? { exitCode: null, signal } : { exitCode, signal: null });
      void this.close();
    });
  }

  onOutput(listener: (bytes: Buffer) => void): void {
    // Without an encoding, these are bytes.
    this.#parts.pty.onData((data) => listener(data as unknown as Buffer));
  }

  pause(): void {
    this.#parts.pty.pause();
  }

  resume(): void {
    this.#parts.pty.resume();
  }

  write(bytes: Buffer): void {
    if (this.#closing === undefined) this.#input.write(bytes);
  }

  /** How many bytes were written that the program has not taken yet. */
  get unreadBytes(): number {
    return this.#input.unreadBytes;
  }

  resize({ columns, rows }: TerminalSize): void {
    // A program may close its terminal and go on without one.
    if (this.#closing === undefined && this.#input.isOpen) this.#parts.pty.resize(columns, rows);
  }

  /** Hangs up; resolves when nothing that was started at the terminal is left. */
  async close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { pty, session, guard, isGuardHere, leave } = this.#parts;
    this.#input.stop();
    try {
      pty.resume();
      // Its number may be another's by now.
      if (!this.#hasEnded) pty.kill('SIGHUP');
      await Promise.all([isGuardHere ? undefined : guard.end(session), endProcesses(session)]);
      await guard.release();
    } finally {
      leave();
    }
  }
}

interface TerminalOptions {
  readonly driver: NodeDriver;
  readonly env: Readonly<Record<string, string>>;
  /** The prefix of each of its command lines (`JobUser`). */
  readonly words: readonly string[];
  readonly wanted: WantedTerminal;
  readonly leave: () => void;
}

/** Opens a terminal. @throws AppError `not-supported`, `lab-not-up` or `lab-cli-failed`. */
export async function openTerminal(
  address: NodeAddress,
  { driver, env, words: prefix, wanted, leave }: TerminalOptions,
): Promise<Terminal> {
  const { spawn } = await loadPty();
  const session = nameSession();
  const { columns, rows, term = usualTerm } = wanted;
  const look = async ([file = '', ...args]: readonly string[]): Promise<string> =>
    (await runCaptured(file, args, { env, timeoutMs: lookTimeoutMs, words: prefix })).stdout.toString('utf8');
  const { command, inside } = await driver.terminal(
    address,
    { session, term, program: wanted.program },
    look,
  );
  const { guard, words } = await placeGuard([...prefix, ...inside], env);
  if (guard === undefined) throw wayFailure(address.node, { words });
  const [file = '', ...args] = [...prefix, ...command];
  // The terminal has a width of its own: COLUMNS is that of logs.
  const { COLUMNS: _columns, ...rest } = env;
  try {
    const options = {
      name: term,
      cols: columns,
      rows,
      cwd: '/',
      env: { ...rest, [sessionVariable]: session },
      encoding: null,
    };
    const pty = withoutGaps(() => spawn(file, args, options));
    const show = hideDescriptor((pty as NodePty.IPty & { readonly fd: number }).fd);
    const leaveAll = (): void => {
      show();
      leave();
    };
    return new Terminal({ pty, session, guard, isGuardHere: inside.length === 0, leave: leaveAll });
  } catch (error) {
    await guard.release();
    throw new AppError('lab-cli-failed', `no terminal could be opened: ${messageOf(error)}`, {
      cause: error,
    });
  }
}
