/** Waits for a program on the user's terminal, and forwards signals to it. */
import type { ChildProcess } from 'node:child_process';
import os from 'node:os';
import { deferred } from '../../lib/async/deferred.ts';
import { startFailure } from './run-program.ts';

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
    const exitCode = signal === null ? (code ?? 1) : 128 + os.constants.signals[signal];
    ended.resolve({ exitCode, wasKilled: signal !== null });
  });
  const forward = (signal: NodeJS.Signals): void => void child.kill(signal);
  for (const signal of forwarded) process.on(signal, forward);
  try {
    return await ended.promise;
  } finally {
    for (const signal of forwarded) process.off(signal, forward);
  }
}
