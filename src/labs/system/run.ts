/** Runs the lab CLI to its end, either capturing what it prints or on the caller's terminal. Jobs have their own way. */
import { spawn, type ChildProcess } from 'node:child_process';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { messageOf, systemCode } from '../../lib/app-error.ts';
import { deferred } from '../../lib/async/deferred.ts';
import { after } from '../../lib/async/disposal.ts';
import { exitCodeOf } from '../../lib/processes/exit-code.ts';
import { withoutHidden } from '../../lib/processes/hidden-descriptors.ts';

/** A status document of a thousand nodes is below 1 MiB; whatever prints more than this is broken. */
const maxOutputBytes = 32 * 1024 * 1024;

export interface RunResult {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  /** Why we ended it, if we did. */
  readonly ended: 'timeout' | 'too-much-output' | 'aborted' | null;
  /** Set when the program could not be started at all. */
  readonly spawnError: string | null;
}

interface RunOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly cwd?: string;
  readonly signal?: AbortSignal;
  /** How long it may take to end by itself after SIGINT, with the processes that it has started elsewhere; 0 unless given. */
  readonly graceMs?: number | undefined;
  /** The words before the command line (`JobUser`). */
  readonly words?: readonly string[];
  /** For its standard input, which is empty otherwise. */
  readonly input?: AsyncIterable<Uint8Array>;
  /** Gets its standard output, of any length, in the place of the result; the program is ended when this rejects. */
  readonly read?: (output: AsyncIterable<Uint8Array>) => Promise<void>;
}

/** Other limits than usual. */
export type RunLimits = Partial<Pick<RunOptions, 'signal' | 'timeoutMs' | 'graceMs'>>;

/** Of a program that did not run. */
export const nothingRan: RunResult = {
  exitCode: null,
  signal: null,
  stdout: Buffer.alloc(0),
  stderr: Buffer.alloc(0),
  ended: null,
  spawnError: null,
};

/** Signals a process group; that it is gone already is fine. */
function signalGroup(pid: number | undefined, signal: 'SIGINT' | 'SIGKILL'): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // Nothing left to kill.
  }
}

/** Ends a program, with SIGINT first where it is given time. `release`: it has ended. */
function enderOf(
  { pid, stdout, stderr }: ChildProcess,
  { graceMs }: Pick<RunOptions, 'graceMs'>,
): { readonly end: () => void; readonly release: () => void } {
  let stopGrace: (() => void) | undefined;
  const kill = (): void => {
    signalGroup(pid, 'SIGKILL');
    // A daemon that left the group may hold the pipes open for ever: `close` would then never come.
    stdout?.destroy();
    stderr?.destroy();
  };
  const end = (): void => {
    if (graceMs === undefined) return kill();
    signalGroup(pid, 'SIGINT');
    stopGrace ??= after(graceMs, kill);
  };
  return { end, release: () => stopGrace?.() };
}

/** The error of a side that talks with the program, if it has one. */
interface Loss {
  error?: unknown;
}

/** A program that ends before it has read everything, or is ended before all that it says was read, closes the pipe. */
const closedCodes = new Set(['EPIPE', 'ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED']);

/** Writes the input of the program. The result gets what `input` throws; then `onLoss` is called. */
function feed({ stdin }: ChildProcess, { input }: Pick<RunOptions, 'input'>, onLoss: () => void): Loss {
  const lost: Loss = {};
  if (input === undefined || stdin === null) return lost;
  pipeline(Readable.from(input, { objectMode: false }), stdin).catch((error: unknown) => {
    if (closedCodes.has(systemCode(error) ?? '')) return;
    lost.error = error;
    onLoss();
  });
  return lost;
}

/** Resolves when `read` has read the output of the program. The result gets what it throws; then `onLoss` is called. */
async function consume(
  out: Readable | null,
  read: NonNullable<RunOptions['read']>,
  onLoss: () => void,
): Promise<Loss> {
  try {
    await read(out ?? Readable.from([]));
    return {};
  } catch (error) {
    if (closedCodes.has(systemCode(error) ?? '')) return {};
    onLoss();
    return { error };
  }
}

/**
 * Runs a program that only reports, in a process group of its own. Past `timeoutMs` the whole group is killed: netlab
 * asks `docker` and `vagrant`, which would otherwise go on. Never prompts (standard input is empty, or `input`).
 * @throws what `input` and `read` throw, once the program was killed; nothing else.
 */
export async function runCaptured(
  file: string,
  args: readonly string[],
  options: RunOptions,
): Promise<RunResult> {
  const { promise, resolve } = deferred<RunResult>();
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  let size = 0;
  let ended: RunResult['ended'] = null;

  const [program = file, ...rest] = [...(options.words ?? []), file, ...args];
  let child: ChildProcess;
  try {
    child = spawn(program, rest, {
      cwd: options.cwd,
      env: { ...options.env },
      detached: true,
      stdio: withoutHidden([options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe']),
    });
  } catch (error) {
    return { ...nothingRan, spawnError: messageOf(error) };
  }
  // Without a free file descriptor, there are no pipes, and only `error` tells.
  const [out, err] = [child.stdout, child.stderr] as readonly (Readable | null)[];
  const ender = enderOf(child, options);
  const stop = (why: NonNullable<RunResult['ended']>): void => {
    ended ??= why;
    ender.end();
  };
  const collect = (into: Buffer[]) => (chunk: Buffer) => {
    size += chunk.length;
    if (size > maxOutputBytes) stop('too-much-output');
    else into.push(chunk);
  };
  const onLoss = (): void => stop('aborted');
  const reading = options.read && consume(out ?? null, options.read, onLoss);
  if (reading === undefined) out?.on('data', collect(stdout));
  err?.on('data', collect(stderr));

  const lost = feed(child, options, onLoss);

  const stopTimer = after(options.timeoutMs, () => stop('timeout'));
  const abort = (): void => stop('aborted');
  options.signal?.addEventListener('abort', abort);
  // A signal that was aborted before sends no event any more.
  if (options.signal?.aborted) abort();
  const finish = (end: Pick<RunResult, 'exitCode' | 'signal' | 'spawnError'>): void => {
    stopTimer();
    ender.release();
    options.signal?.removeEventListener('abort', abort);
    resolve({ ...end, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr), ended });
  };
  child.once('error', ({ message }) => finish({ exitCode: null, signal: null, spawnError: message }));
  child.once('close', (exitCode, signal) => finish({ exitCode, signal, spawnError: null }));
  const result = await promise;
  for (const loss of [lost, (await reading) ?? {}]) if ('error' in loss) throw loss.error;
  return result;
}

interface LinesOptions extends Pick<RunOptions, 'env' | 'words'> {
  readonly signal: AbortSignal;
  readonly onLine: (line: string) => void;
}

/** Longer lines are cut, because a line may have no end. */
const maxLineLength = 64 * 1024;

/** Splits text that comes in pieces into lines. */
function lineTeller(onLine: (line: string) => void): (text: string) => void {
  let line = '';
  return (text) => {
    const [first = '', ...others] = text.split('\n');
    line = `${line}${first.slice(0, maxLineLength - line.length)}`;
    for (const next of others) {
      onLine(line);
      line = next.slice(0, maxLineLength);
    }
  };
}

/**
 * Runs a program that goes on and on, for what it prints, until it ends or `signal` is aborted. It is of our own process group
 * and its output leads to us: when we are killed, it ends with the next thing that it says. Never rejects.
 */
export async function runForLines(
  file: string,
  args: readonly string[],
  { env, words = [], signal, onLine }: LinesOptions,
): Promise<void> {
  const { promise, resolve } = deferred<void>();
  const [program = file, ...rest] = [...words, file, ...args];
  try {
    const child = spawn(program, rest, {
      env: { ...env },
      stdio: withoutHidden(['ignore', 'pipe', 'ignore']),
    });
    const kill = (): void => void child.kill('SIGKILL');
    signal.addEventListener('abort', kill, { once: true });
    if (signal.aborted) kill();
    const out = child.stdout as Readable | null;
    out?.setEncoding('utf8').on('data', lineTeller(onLine));
    child.once('error', () => resolve());
    child.once('close', () => resolve());
    await promise;
    signal.removeEventListener('abort', kill);
  } catch {
    // The process could not be started; the caller may try again.
  }
}

/**
 * Runs a program on the caller's terminal and gives its exit code; 128 + signal number when a signal ended it, like a
 * shell. Ctrl-C reaches the program through the terminal; here it is ignored so that the program decides.
 */
export async function runAttached(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<number> {
  const { promise, resolve, reject } = deferred<number>();
  const ignore = (): void => undefined;
  const child = spawn(file, args, { env: { ...env }, stdio: 'inherit' });
  const forward = (): void => void child.kill('SIGTERM');
  process.on('SIGINT', ignore);
  process.on('SIGTERM', forward);
  child.once('error', reject);
  child.once('close', (code, signal) => resolve(exitCodeOf(code, signal)));
  try {
    return await promise;
  } finally {
    process.off('SIGINT', ignore);
    process.off('SIGTERM', forward);
  }
}
