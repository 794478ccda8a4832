import { rm } from 'node:fs/promises';
import { removeTemporaries } from '../system/files.ts';
import { instanceLockFile } from './instance-lock.ts';
import { updateRegistry } from './lab-registry.ts';
import { nodeRecordsFile } from './node-records.ts';

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
