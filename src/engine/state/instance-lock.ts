/** One lock for each lab instance: its `up` and its `down` never run at the same time. */
import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { EngineContext } from '../core/engine-context.ts';
import { removeTemporaries } from '../system/files.ts';
import { withLock, type Lock } from '../system/lock.ts';
import { updateRegistry } from './lab-registry.ts';
import { nodeRecordsFile } from './node-records.ts';

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
  const busy = `another command has been busy with the instance ${instance} for ${instanceWaitSeconds} seconds`;
  const options = { waitSeconds: instanceWaitSeconds, busy, signal: interrupted };
  return withLock(instanceLockFile(home, instance), options, task);
}

/**
 * Removes all records of a lab that has nothing left in the kernel, its lock file last. The caller has the lock of
 * the instance, and does nothing to the lab afterwards.
 */
export async function forgetLab(home: string, instance: string): Promise<void> {
  // Before the registry: on a full disk, this frees the space to write the registry.
  const records = nodeRecordsFile(home, instance);
  await rm(records, { force: true });
  await removeTemporaries(records);
  await updateRegistry(home, (entries) => {
    entries.delete(instance);
  });
  // Otherwise a file would stay for every instance number that was ever used.
  await rm(instanceLockFile(home, instance), { force: true });
}
