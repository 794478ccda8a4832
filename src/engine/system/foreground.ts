import type { ChildProcess } from 'node:child_process';
import os from 'node:os';
import { deferred } from '../../lib/deferred.ts';
import { startFailure } from './run.ts';

export interface Ended {
  /** 128 + number for a signal. */
  readonly exitCode: number;
  /** Whether a signal ended it, so that it had no last word. */
  readonly wasKilled: boolean;
}

/**
 * Waits for a program that has our terminal. A signal of `forwarded` that is sent to us alone is meant for it.
 * @throws EngineError when it cannot be started.
 */
export async function inForeground(
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
