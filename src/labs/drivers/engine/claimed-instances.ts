import { readdir } from 'node:fs/promises';

/** The instances that somebody on this machine has claimed: those of other users are in nobody else's status. */
export async function claimedInstances(directory = '/run/lab-engine'): Promise<readonly string[]> {
  const names = await readdir(directory).catch(() => []);
  return names.filter((name) => /^\d+$/.test(name));
}
