/**
 * `system/` uses the operating system for the engine. This file runs programs (`ip`, `sh`, `flock`, `tar`) to their
 * end. Arguments never go through a shell.
 */
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { deferred } from '../../lib/async/deferred.ts';
import { exitCodeOf } from '../../lib/processes/exit-code.ts';
import { EngineError } from '../core/engine-error.ts';

export interface ProgramOptions {
  /** A descriptor that becomes descriptor 3 of the program, to hold a lock while the program runs. */
  readonly lockFd?: number | undefined;
  /** Descriptor of a file to read as standard input. */
  readonly stdin?: number | undefined;
  /** Receives the standard output of the program as it comes. */
  readonly onStdout?: ((chunk: Buffer) => void) | undefined;
  /** Ends the program and its children early. */
  readonly signal?: AbortSignal | undefined;
}

export interface ProgramResult {
  /** -1 when a signal ended it. */
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The Debian package of the program. */
const packages: Readonly<Record<string, string>> = {
  ip: 'iproute2',
  nsenter: 'util-linux',
  unshare: 'util-linux',
  flock: 'util-linux',
};

/** The error sentence for a program that could not be started. */
export function startFailure(program: string, error: NodeJS.ErrnoException): EngineError {
  if (error.code !== 'ENOENT') return new EngineError(`cannot start ${program}: ${error.message}`);
  const from = packages[program];
  const advice = from === undefined ? 'install it' : `install the package ${from}`;
  return new EngineError(`the program "${program}" is not on PATH; ${advice}`);
}

/**
 * Runs a program in its own session: a Ctrl-C at the terminal reaches the engine and not the program, which may be in
 * the middle of a change. `signal` ends it.
 * @throws EngineError when the program cannot be started.
 */
export async function runProgram(
  program: string,
  args: readonly string[],
  options: ProgramOptions = {},
): Promise<ProgramResult> {
  const { lockFd, stdin, onStdout, signal } = options;
  const stdio: StdioOptions = [stdin ?? 'ignore', 'pipe', 'pipe', ...(lockFd === undefined ? [] : [lockFd])];
  const child = spawn(program, args, { stdio, detached: true });
  const ended = deferred<number>();
  child.once('error', (error) => ended.reject(startFailure(program, error)));
  child.once('close', (code) => ended.resolve(code ?? -1));
  const chunks: { out: Buffer[]; err: Buffer[] } = { out: [], err: [] };
  child.stdout?.on('data', (chunk: Buffer) => chunks.out.push(chunk));
  if (onStdout !== undefined) child.stdout?.on('data', onStdout);
  child.stderr?.on('data', (chunk: Buffer) => chunks.err.push(chunk));
  const stop = (): void => {
    if (child.pid === undefined || child.exitCode !== null) return;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // The program ended at this moment.
    }
  };
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted === true) stop();
  try {
    const exitCode = await ended.promise;
    const text = (parts: readonly Buffer[]): string => Buffer.concat(parts).toString('utf8');
    return { exitCode, stdout: text(chunks.out), stderr: text(chunks.err) };
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

export interface Ended {
  /** 128 + number for a signal. */
  readonly exitCode: number;
  /** Whether a signal ended it: then the program could not print a reason. */
  readonly wasKilled: boolean;
}

/**
 * Waits until `child` has ended. Forwards the signals in `forwarded` to it.
 * @throws EngineError when `program` could not be started.
 */
export async function waitInForeground(
  child: ChildProcess,
  program: string,
  forwarded: readonly NodeJS.Signals[],
): Promise<Ended> {
  const ended = deferred<Ended>();
  child.once('error', (error) => ended.reject(startFailure(program, error)));
  child.once('exit', (code, signal) => {
    ended.resolve({ exitCode: exitCodeOf(code, signal), wasKilled: signal !== null });
  });
  const forward = (signal: NodeJS.Signals): void => void child.kill(signal);
  for (const signal of forwarded) process.on(signal, forward);
  try {
    return await ended.promise;
  } finally {
    for (const signal of forwarded) process.off(signal, forward);
  }
}

/** Runs a program on the streams of this one, and returns its exit code. */
export async function runInForeground(
  program: string,
  args: readonly string[],
  env?: NodeJS.ProcessEnv,
): Promise<number> {
  const child = spawn(program, args, { ...(env && { env }), stdio: 'inherit' });
  return (await waitInForeground(child, program, ['SIGTERM', 'SIGINT', 'SIGHUP'])).exitCode;
}
