import { rm } from 'node:fs/promises';
import { removeTemporaries } from '../system/temporary-files.ts';
import { updateRegistry } from './lab-registry.ts';
import { nodeRecordsFile } from './node-records.ts';

/**
 * Removes a lab of which nothing is left in the kernel from all that is known. The caller has the lock of the instance.
 */
export async function forgetLab(home: string, instance: string): Promise<void> {
  // Before the registry: on a full disk, this makes the room in which the registry is written anew.
  const records = nodeRecordsFile(home, instance);
  await rm(records, { force: true });
  await removeTemporaries(records);
  await updateRegistry(home, (entries) => {
    entries.delete(instance);
  });
}
