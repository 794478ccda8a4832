/**
 * Locks between commands. The kernel keeps them for the open file (flock(2)), which our children inherit: when a command
 * is killed, the lock stays until the last `ip` that it started has ended, so nobody meets half-made work in motion.
 */
import { open } from 'node:fs/promises';
import path from 'node:path';
import type { EngineContext } from '../core/context.ts';
import { EngineError } from '../core/engine-error.ts';
import { makeDirectory } from './files.ts';
import { run } from './run.ts';

export interface Lock {
  readonly fd: number;
  readonly release: () => Promise<void>;
}

export interface LockOptions {
  /** How long to wait for whoever has it. */
  readonly waitSeconds: number;
  readonly kind?: 'exclusive' | 'shared';
  readonly signal?: AbortSignal;
}

const fileMode = 0o600;

/** The lock, or undefined when somebody else kept it all the time. */
export async function tryLock(file: string, options: LockOptions): Promise<Lock | undefined> {
  await makeDirectory(path.dirname(file), 0o700);
  const handle = await open(file, 'a', fileMode);
  try {
    const kind = options.kind === 'shared' ? '-s' : '-x';
    const wait = options.waitSeconds === 0 ? ['-n'] : ['-w', String(options.waitSeconds)];
    const { exitCode, stderr } = await run('flock', [kind, ...wait, '3'], {
      lockFd: handle.fd,
      signal: options.signal,
    });
    options.signal?.throwIfAborted();
    if (exitCode === 0) return { fd: handle.fd, release: () => handle.close() };
    if (exitCode !== 1) throw new EngineError(`cannot lock ${file}: ${stderr.trim()}`);
  } catch (error) {
    await handle.close();
    throw error;
  }
  await handle.close();
  return undefined;
}

/** Runs `task` with the lock; `busy` is the sentence for when it could not be had in time. */
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

/** The lock of one lab instance: `up` and `down` of it never run at the same time. */
export function instanceLockFile(home: string, instance: string): string {
  return path.join(home, 'locks', `${instance}.lock`);
}

const instanceWaitSeconds = 60;

/** Runs `task` while nobody else starts or stops this instance. */
export async function withInstance<T>(
  { home, interrupted }: Pick<EngineContext, 'home' | 'interrupted'>,
  instance: string,
  task: (lock: Lock) => Promise<T>,
): Promise<T> {
  const busy = `another "lab up" or "lab down" has been busy with the instance ${instance} for ${instanceWaitSeconds} seconds`;
  const options = { waitSeconds: instanceWaitSeconds, busy, signal: interrupted };
  return withLock(instanceLockFile(home, instance), options, task);
}
