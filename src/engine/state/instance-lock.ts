/** One lock for each lab instance: its `up` and its `down` never run at the same time. */
import path from 'node:path';
import type { EngineContext } from '../core/engine-context.ts';
import { withLock, type Lock } from '../system/lock.ts';

/** Where the lock of an instance is. */
export function instanceLockFile(home: string, instance: string): string {
  return path.join(home, 'locks', `${instance}.lock`);
}

const instanceWaitSeconds = 60;

/**
 * Runs `task` while no other command starts or stops this instance.
 * @throws EngineError when another command has the lock for a minute; Interrupted on a signal.
 */
export async function withInstanceLock<T>(
  { home, interrupted }: Pick<EngineContext, 'home' | 'interrupted'>,
  instance: string,
  task: (lock: Lock) => Promise<T>,
): Promise<T> {
  const busy = `another "lab up" or "lab down" has been busy with the instance ${instance} for ${instanceWaitSeconds} seconds`;
  const options = { waitSeconds: instanceWaitSeconds, busy, signal: interrupted };
  return withLock(instanceLockFile(home, instance), options, task);
}
