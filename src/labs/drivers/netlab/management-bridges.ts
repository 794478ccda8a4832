import { readdir } from 'node:fs/promises';

/**
 * The multilab ids of the management bridges on this machine (netsim/extra/multilab/defaults.yml): labs of other users, or
 * what is left of a lab that has gone.
 */
export async function idsOfManagementBridges(networkDevices = '/sys/class/net'): Promise<readonly string[]> {
  const names = await readdir(networkDevices).catch(() => []);
  return names.flatMap((name) => /^nl_mgmt_(\d+)$/.exec(name)?.[1] ?? []);
}
