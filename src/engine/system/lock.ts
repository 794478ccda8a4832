/**
 * Locks between commands. The kernel ties them to the open file (flock(2)), which child programs inherit: if a
 * command is killed, its lock stays until the last `ip` that it started has ended. So the next owner of the lock may
 * find unfinished work, but never work in progress.
 */
import { stat, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { EngineError } from '../core/engine-error.ts';
import { makeDirectory, openLockFile } from './files.ts';
import { runProgram } from './run-program.ts';

export interface Lock {
  readonly fd: number;
  readonly release: () => Promise<void>;
}

export interface LockOptions {
  /** The maximum time to wait for the lock; 0: not at all. */
  readonly waitSeconds: number;
  readonly kind?: 'exclusive' | 'shared';
  readonly signal?: AbortSignal;
}

const fileMode = 0o600;

/** Whether the lock file is still the file that we opened: the previous owner of the lock may have removed it. */
async function isThere(file: string, handle: FileHandle): Promise<boolean> {
  const [ours, found] = await Promise.all([handle.stat(), stat(file).catch(() => undefined)]);
  return found?.ino === ours.ino && found.dev === ours.dev;
}

/**
 * The lock; undefined if another command did not release it in time. The owner of an exclusive lock may remove its
 * file; the commands that wait for it then start over with a new file.
 */
export async function tryLock(file: string, options: LockOptions): Promise<Lock | undefined> {
  await makeDirectory(path.dirname(file), 0o700);
  const handle = await openLockFile(file, fileMode);
  try {
    const kind = options.kind === 'shared' ? '-s' : '-x';
    const wait = options.waitSeconds === 0 ? ['-n'] : ['-w', String(options.waitSeconds)];
    const { exitCode, stderr } = await runProgram('flock', [kind, ...wait, '3'], {
      lockFd: handle.fd,
      signal: options.signal,
    });
    options.signal?.throwIfAborted();
    if (exitCode === 0 && (await isThere(file, handle)))
      return { fd: handle.fd, release: () => handle.close() };
    if (exitCode === 0) {
      await handle.close();
      return await tryLock(file, options);
    }
    if (exitCode !== 1) throw new EngineError(`cannot lock ${file}: ${stderr.trim()}`);
  } catch (error) {
    await handle.close();
    throw error;
  }
  await handle.close();
  return undefined;
}

/** Runs `task` with the lock; `busy` is the error sentence if the lock was not free in time. */
export async function withLock<T>(
  file: string,
  options: LockOptions & { readonly busy: string },
  task: (lock: Lock) => Promise<T>,
): Promise<T> {
  const lock = await tryLock(file, options);
  if (lock === undefined) throw new EngineError(options.busy);
  try {
    return await task(lock);
  } finally {
    await lock.release();
  }
}
