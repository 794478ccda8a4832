/** A program in a node that runs for as long as its client waits for it. */
import { stripVTControlCharacters } from 'node:util';
import { AppError } from '../../lib/app-error.ts';
import { after } from '../../lib/async/disposal.ts';
import { RunningNodeProgram, type NodeProgramEnd } from './node-program.ts';

/** Where a program is to run, and for how long it is wanted. */
export interface NodeSession {
  /** The words that lead there; none for a program that runs right here. */
  readonly way: readonly string[];
  /** For sentences. */
  readonly node: string;
  readonly env: Readonly<Record<string, string>>;
  /** Aborted when the client has gone: the program is ended then. */
  readonly signal: AbortSignal;
  /** Gives back the place among the sessions. */
  readonly leave: () => void;
}

const maxLines = 10;

/** Words of a container engine, of `ip netns` and of the bundled engine for a node that has gone since the status was asked for. */
const saysGone =
  /no such container|is not running|is missing: its namespace|cannot open network namespace|unknown lab instance/i;

/** The error for a node that was not reached, or for what else has failed. */
export function wayFailure(
  node: string,
  { words }: Pick<NodeProgramEnd, 'words'>,
  what = `${node} was not reached`,
): AppError {
  const output = stripVTControlCharacters(words)
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .slice(-maxLines);
  const last = output.at(-1) ?? 'nothing was said of it';
  if (saysGone.test(words)) return new AppError('lab-not-up', `${node} is not up: ${last}`);
  return new AppError('lab-cli-failed', `${what}: ${last}`, { extra: { output } });
}

/** How long a program may run that only looks, or sets something. */
const lookMs = 15_000;

/** Starts a program that ends when its client has gone, and then frees its place among the sessions. */
export function startProgram(
  { way, env, signal, leave }: NodeSession,
  program: readonly string[],
  isMerged: boolean,
): RunningNodeProgram {
  const running = new RunningNodeProgram({ way, program, env, isMerged });
  const stop = (): void => running.stop();
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  void running.ended.then(() => {
    signal.removeEventListener('abort', stop);
    leave();
  });
  return running;
}

export interface Looked {
  readonly exitCode: number | null;
  readonly output: string;
  /** Standard error of the program. */
  readonly words: string;
}

/** Runs a program in the node to its end, within seconds. @throws AppError when the node was not reached. */
export async function look(session: NodeSession, program: readonly string[]): Promise<Looked> {
  const running = startProgram({ ...session, leave: () => undefined }, program, false);
  const stopTimer = after(lookMs, () => running.stop());
  const chunks: Buffer[] = [];
  for await (const chunk of running.output()) chunks.push(chunk);
  const end = await running.ended;
  stopTimer();
  if (!(await running.begun)) throw wayFailure(session.node, end);
  if (end.exitCode === null) throw new AppError('lab-cli-timeout', `${session.node} did not answer in time`);
  return { ...end, output: Buffer.concat(chunks).toString('utf8') };
}
