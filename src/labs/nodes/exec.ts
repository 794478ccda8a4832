/** A command in a node: what it prints, and how it ended. */
import { AppError } from '../../lib/app-error.ts';
import { after } from '../../lib/async/disposal.ts';
import { RunningNodeProgram } from './node-program.ts';
import { wayFailure, type NodeSession } from './node-session.ts';

export interface ExecRequest {
  readonly command: readonly string[];
  readonly timeoutMs: number;
  readonly stdin: string;
}

interface ExecEnd {
  readonly exitCode: number | null;
  /** The signal of this service that ended the program; null when the program ended by itself. */
  readonly signal: 'SIGKILL' | null;
  readonly reason: 'exited' | 'timeout' | 'canceled';
  readonly durationMs: number;
}

export interface Exec {
  /** Standard output and standard error of the program, in the order of printing. Can be read once. */
  readonly output: AsyncIterable<Buffer>;
  readonly ended: Promise<ExecEnd>;
}

/** Resolves when the command has been started in the node. @throws AppError when the node was not reached. */
export async function startExec(
  { way, node, env, signal, leave }: NodeSession,
  { command, timeoutMs, stdin }: ExecRequest,
): Promise<Exec> {
  const startedMs = performance.now();
  const running = new RunningNodeProgram({ way, program: command, env, input: stdin, isMerged: true });
  let reason = 'exited' as ExecEnd['reason'];
  const stop = (why: ExecEnd['reason']) => () => {
    if (reason === 'exited') reason = why;
    running.stop();
  };
  const stopTimer = after(timeoutMs, stop('timeout'));
  const cancel = stop('canceled');
  signal.addEventListener('abort', cancel);
  if (signal.aborted) cancel();
  void running.ended.then(() => {
    stopTimer();
    signal.removeEventListener('abort', cancel);
    leave();
  });
  if (!(await running.begun)) {
    const end = await running.ended;
    throw reason === 'timeout'
      ? new AppError('lab-cli-timeout', `${node} was not reached in time`)
      : wayFailure(node, end);
  }
  const ended = running.ended.then(({ exitCode }): ExecEnd => {
    // It may have ended by itself in the moment in which we stopped it.
    const isOurs = exitCode === null;
    return {
      exitCode,
      signal: isOurs ? 'SIGKILL' : null,
      reason: isOurs ? reason : 'exited',
      durationMs: Math.round(performance.now() - startedMs),
    };
  });
  return { output: running.output(), ended };
}

export interface CollectedExec extends ExecEnd {
  /** Its beginning when it was more than was to be kept. */
  readonly output: string;
  readonly truncated: boolean;
}

/** Waits for the end. All that is printed is read, or the command would not come to its end; `maxBytes` of it are kept. */
export async function collectExec({ output, ended }: Exec, maxBytes: number): Promise<CollectedExec> {
  const kept: Buffer[] = [];
  let size = 0;
  for await (const chunk of output) {
    if (size < maxBytes) kept.push(chunk.subarray(0, maxBytes - size));
    size += chunk.length;
  }
  const text = new TextDecoder('utf-8', { ignoreBOM: true });
  // A character that the bound has cut is left out.
  const isCut = size > maxBytes;
  return {
    output: text.decode(Buffer.concat(kept), { stream: isCut }),
    truncated: isCut,
    ...(await ended),
  };
}
