import type { ChildProcess } from 'node:child_process';
import os from 'node:os';
import { deferred } from '../lib/deferred.ts';
import { startFailure } from './run.ts';

/**
 * Waits for a program that has our terminal; the result is its exit code, 128 + number for a signal. A signal of
 * `forwarded` that is sent to us alone is meant for it. @throws EngineError when it cannot be started.
 */
export async function inForeground(
  child: ChildProcess,
  program: string,
  forwarded: readonly NodeJS.Signals[],
): Promise<number> {
  const ended = deferred<number>();
  child.once('error', (error) => ended.reject(startFailure(program, error)));
  child.once('exit', (code, signal) =>
    ended.resolve(signal === null ? (code ?? 1) : 128 + os.constants.signals[signal]),
  );
  const forward = (signal: NodeJS.Signals): void => void child.kill(signal);
  for (const signal of forwarded) process.on(signal, forward);
  try {
    return await ended.promise;
  } finally {
    for (const signal of forwarded) process.off(signal, forward);
  }
}
