/** Runs the phases of a plan. What runs is in files first: a pipe that breaks in the middle of a line would make a namespace of half a name. */
import { open, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { EngineError } from '../core/engine-error.ts';
import { batchOf, type BatchPhase, type Phase, type ScriptPhase } from './plan.ts';
import { run, type RunResult } from '../system/run.ts';

export interface BuildOptions {
  /** Where the files of the phases go. */
  readonly directory: string;
  /** Kept by every program that runs, also when we are killed. */
  readonly lockFd: number;
  readonly signal?: AbortSignal;
  /** Whether `/proc/sys` must be mounted anew before anything can be written there. */
  readonly mountsProc: boolean;
}

const maxDetailLines = 10;

/** The words of a program that failed; `ip -batch` names the line, and we add what it says. */
function detailsOf({ stderr }: RunResult, lines: readonly string[]): string[] {
  const words = stderr.split('\n').filter((line) => line.trim() !== '');
  const detailed = words.map((line) => {
    const number = /^Command failed .*:(\d+)$/.exec(line)?.[1];
    const command = number === undefined ? undefined : lines[Number(number) - 1];
    return command === undefined ? line : `Command failed: ip ${command}`;
  });
  return detailed.slice(0, maxDetailLines);
}

/** Runs one `ip -batch`. With `goOn` it does not stop at the first failure, and failures are no error. */
export async function runBatch(
  phase: BatchPhase,
  options: Omit<BuildOptions, 'mountsProc'>,
  goOn = false,
): Promise<void> {
  if (phase.lines.length === 0) return;
  const file = path.join(options.directory, `${phase.title}.batch`);
  await writeFile(file, phase.lines.map((line) => `${line}\n`).join(''));
  const input = await open(file, 'r');
  try {
    const args = [...(goOn ? ['-force'] : []), '-batch', '-'];
    const result = await run('ip', args, { ...options, stdin: input.fd });
    options.signal?.throwIfAborted();
    if (result.exitCode === 0 || goOn) return;
    throw new EngineError(`cannot create the ${phase.title} of the lab`, detailsOf(result, phase.lines));
  } finally {
    await input.close();
  }
}

/** A container has /proc/sys read-only; a procfs of our own, in a mount namespace of our own, is not (proc(5)). */
const withOwnProc = [
  '--mount',
  '--propagation',
  'slave',
  'sh',
  '-c',
  'mount -t proc proc /proc && exec sh -eu "$1"',
  'sh',
];

async function runScripts(phase: ScriptPhase, options: BuildOptions): Promise<void> {
  const { scripts } = phase;
  const workers = Math.min(os.availableParallelism(), scripts.length);
  const failed = new AbortController();
  const signal = AbortSignal.any([failed.signal, ...(options.signal ? [options.signal] : [])]);
  const work = async (worker: number): Promise<RunResult> => {
    // Every so many-th, not a run of neighbours: nodes with much to do tend to stand side by side.
    const share = scripts.filter((_, index) => index % workers === worker);
    const file = path.join(options.directory, `${phase.title}-${worker + 1}.sh`);
    await writeFile(file, share.map((script) => `${script}\n`).join(''));
    const program = options.mountsProc ? 'unshare' : 'sh';
    const args = options.mountsProc ? [...withOwnProc, file] : ['-eu', file];
    const result = await run(program, args, { lockFd: options.lockFd, signal });
    if (result.exitCode !== 0 && !signal.aborted) {
      const namespace = /^cannot configure (\S+)$/m.exec(result.stderr)?.[1];
      const lines = namespace === undefined ? [] : batchOf(phase, namespace);
      failed.abort(
        new EngineError(`cannot configure the ${phase.title} of the lab`, detailsOf(result, lines)),
      );
    }
    return result;
  };
  // All of them have ended before anybody undoes what they did.
  await Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)));
  signal.throwIfAborted();
}

/**
 * Runs one phase.
 * @throws EngineError with the words of the program that failed; the reason of `signal` when that ended it.
 */
export async function runPhase(phase: Phase, options: BuildOptions): Promise<void> {
  await (phase.kind === 'batch' ? runBatch(phase, options) : runScripts(phase, options));
}
