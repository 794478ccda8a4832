import { rm } from 'node:fs/promises';
import { removeTemporaries } from '../system/temporary-files.ts';
import { instanceLockFile } from './instance-lock.ts';
import { updateRegistry } from './lab-registry.ts';
import { nodeRecordsFile } from './node-records.ts';

/**
 * Removes a lab of which nothing is left in the kernel from all that is known, its lock file last: the caller has the lock
 * of the instance, and does nothing to the lab afterwards.
 */
export async function forgetLab(home: string, instance: string): Promise<void> {
  // Before the registry: on a full disk, this makes the room in which the registry is written anew.
  const records = nodeRecordsFile(home, instance);
  await rm(records, { force: true });
  await removeTemporaries(records);
  await updateRegistry(home, (entries) => {
    entries.delete(instance);
  });
  // Otherwise there would be a file for every number that a lab ever had.
  await rm(instanceLockFile(home, instance), { force: true });
}
