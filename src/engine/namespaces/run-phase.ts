/**
 * Runs a phase. The commands go into a file first. If this process is killed while a program reads from a pipe, the
 * input ends in the middle of a line, and the program would make a namespace with half a name.
 */
import { readFileSync } from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { mapBounded } from '../../lib/async/map-bounded.ts';
import { EngineError } from '../core/engine-error.ts';
import { runProgram, type ProgramResult } from '../system/run-program.ts';
import { renderScript, type BatchPhase, type Phase, type ScriptPhase } from './phases.ts';

export interface ProgressOptions {
  /** The interval between reports. A phase that ends earlier reports nothing. */
  readonly everyMs: number;
  /** `fraction` is the finished part of the phase, from 0 to 1. */
  readonly say: (fraction: number) => void;
}

/** Reports progress while `work` runs. `fractionDone` returns undefined when the progress is unknown. */
async function withProgress<T>(
  work: Promise<T>,
  fractionDone: () => number | undefined,
  options: ProgressOptions | undefined,
): Promise<T> {
  if (options === undefined) return work;
  const timer = setInterval(() => {
    const fraction = fractionDone();
    if (fraction !== undefined) options.say(fraction);
  }, options.everyMs);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}

/** The number of bytes that a program reads from a file at once: the buffer of stdio, a block of the file system. */
const bufferBytes = 4_096;

/**
 * A lower bound for the part of its input that a program has processed. `inputFd` is this process's descriptor of the
 * input file. Both processes share one file position (open(2)), which the kernel shows in /proc/self/fdinfo
 * (proc(5)). The program may not have processed the contents of its buffer yet. Undefined when the kernel does not
 * show the position.
 */
function fractionRead(inputFd: number, sizeBytes: number): number | undefined {
  try {
    const position = /^pos:\s*(\d+)/.exec(readFileSync(`/proc/self/fdinfo/${inputFd}`, 'utf8'))?.[1];
    if (position === undefined) return undefined;
    return Math.max(0, Number(position) - bufferBytes) / Math.max(1, sizeBytes);
  } catch {
    return undefined;
  }
}

export interface PhaseOptions {
  /** The directory for the files of the phases. */
  readonly directory: string;
  /**
   * The open lock file of the instance. Every program inherits it, so the lock lasts until the last program has
   * ended, even if this process is killed.
   */
  readonly lockFd: number;
  readonly signal?: AbortSignal;
  readonly progress?: ProgressOptions;
}

const maxDetailLines = 10;

/**
 * The error output of a failed program. `ip -batch` reports the number of the failed line; this replaces the number
 * by the line.
 */
function detailsOf({ stderr }: ProgramResult, lines: readonly string[]): string[] {
  const words = stderr.split('\n').filter((line) => line.trim() !== '');
  const detailed = words.map((line) => {
    const number = /^Command failed .*:(\d+)$/.exec(line)?.[1];
    const command = number === undefined ? undefined : lines[Number(number) - 1];
    return command === undefined ? line : `Command failed: ip ${command}`;
  });
  return detailed.slice(0, maxDetailLines);
}

/** Runs one `ip -batch`. With `goOn`, it ignores lines that fail; without, the first failed line is an error. */
export async function runBatch(phase: BatchPhase, options: PhaseOptions, goOn = false): Promise<void> {
  if (phase.lines.length === 0) return;
  const file = path.join(options.directory, `${phase.title}.batch`);
  const text = phase.lines.map((line) => `${line}\n`).join('');
  await writeFile(file, text);
  const input = await open(file, 'r');
  try {
    const args = [...(goOn ? ['-force'] : []), '-batch', '-'];
    const running = runProgram('ip', args, { ...options, stdin: input.fd });
    const size = Buffer.byteLength(text);
    const result = await withProgress(running, () => fractionRead(input.fd, size), options.progress);
    options.signal?.throwIfAborted();
    if (result.exitCode === 0 || goOn) return;
    throw new EngineError(`cannot create the ${phase.title} of the lab`, detailsOf(result, phase.lines));
  } finally {
    await input.close();
  }
}

/**
 * Runs a script beside a new procfs in a private mount namespace, if the kernel allows one (proc(5)). It is writable
 * in a container, where /proc/sys is read-only. And it has no entries yet: the entries for one sysctl of all network
 * namespaces share a hash chain (proc_sys_compare in fs/proc), so with each node the next one would take longer.
 */
const withOwnProc = [
  '--mount',
  '--propagation',
  'slave',
  'sh',
  '-c',
  'mount -t proc proc /proc 2>/dev/null; exec sh -eu "$1"',
  'sh',
];

/** The largest number of scripts that share a procfs. */
const shareSize = 100;

async function runScripts({ title, scripts }: ScriptPhase, options: PhaseOptions): Promise<void> {
  const workers = Math.min(os.availableParallelism(), scripts.length);
  const count = Math.max(workers, Math.ceil(scripts.length / shareSize));
  const failed = new AbortController();
  const signal = AbortSignal.any([failed.signal, ...(options.signal ? [options.signal] : [])]);
  let done = 0;
  const run = async (share: number): Promise<void> => {
    if (signal.aborted) return;
    // Share k of n has the scripts k, k + n, k + 2n, …: nodes with much work tend to be next to each other.
    const own = scripts.filter((_, index) => index % count === share);
    const file = path.join(options.directory, `${title}-${share + 1}.sh`);
    // Each script prints an empty line when it is done, to count finished scripts.
    await writeFile(file, own.map((script) => `${renderScript(script)}echo\n`).join(''));
    const onStdout = (chunk: Buffer): void => void (done += chunk.length);
    const args = [...withOwnProc, file];
    const result = await runProgram('unshare', args, { lockFd: options.lockFd, signal, onStdout });
    if (result.exitCode === 0) return;
    const namespace = /^cannot configure (\S+)$/m.exec(result.stderr)?.[1];
    const lines = own.find((script) => script.namespace === namespace)?.batch ?? [];
    throw new EngineError(`cannot configure the ${title} of the lab`, detailsOf(result, lines));
  };
  // Waits for all, also after a failure: their work must not be undone while one of them still runs.
  const working = mapBounded([...Array(count).keys()], workers, (share) =>
    run(share).catch((error: unknown) => failed.abort(error)),
  );
  await withProgress(working, () => done / scripts.length, options.progress);
  signal.throwIfAborted();
}

/**
 * Runs one phase.
 * @throws EngineError with the error output of the failed program; the reason of `signal` if the signal ended the
 *   program.
 */
export async function runPhase(phase: Phase, options: PhaseOptions): Promise<void> {
  await (phase.kind === 'batch' ? runBatch(phase, options) : runScripts(phase, options));
}
