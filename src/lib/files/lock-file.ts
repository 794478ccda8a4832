/** Locks between processes that end with their owner, however it ends. */
import { spawn } from 'node:child_process';
import type { FileHandle } from 'node:fs/promises';
import { deferred } from '../async/deferred.ts';

/** `no-flock`: there is no such program here (macOS), or this file system has no locks. */
export type LockAnswer = 'locked' | 'busy' | 'no-flock';

/**
 * Asks `flock` (util-linux, busybox) for a lock on our open file, and waits for it that long. The lock belongs to the open
 * file, which child and service share (flock(2)), so it stays with us when `flock` is gone and ends with us however we end.
 */
export async function lockFile(handle: FileHandle, waitSeconds = 0): Promise<LockAnswer> {
  const answer = deferred<LockAnswer>();
  const wait = waitSeconds === 0 ? ['-n'] : ['-w', String(waitSeconds)];
  const child = spawn('flock', ['-x', ...wait, '3'], {
    stdio: ['ignore', 'ignore', 'ignore', handle.fd],
  });
  child.once('error', () => answer.resolve('no-flock'));
  // 1 means that another process has the lock; anything else, that this file system has no locks (flock(1)).
  const answers: Readonly<Record<number, LockAnswer>> = { 0: 'locked', 1: 'busy' };
  child.once('exit', (code) => answer.resolve(answers[code ?? -1] ?? 'no-flock'));
  return answer.promise;
}
