/** The root file systems of nodes. */
import { existsSync } from 'node:fs';
import { frrVersionIn, zebraFile } from '../../lib/net/frr.ts';
import { runProgram } from '../system/run-program.ts';

/**
 * The machine's own file system as the root of a node: `frr` with the routing daemons of the machine, `linux` without.
 * Nodes write into a layer of their own above it.
 */
export type MachineRoot = 'frr' | 'linux';

/** The images of netlab's devices `frr` and `linux` (netsim/devices/frr.yml, linux.yml), by their repositories. */
const repositories: Readonly<Record<string, MachineRoot>> = {
  'quay.io/frrouting/frr': 'frr',
  python: 'linux',
};

/** The script of the Debian package `frr` that starts the daemons. */
export const frrScript = '/usr/lib/frr/frrinit.sh';

/** Undefined for an image that this machine cannot stand in for. */
export function machineRootOf(image: string): MachineRoot | undefined {
  const repository = image.replace(/:[^:/]*$/, '');
  return Object.hasOwn(repositories, repository) ? repositories[repository] : undefined;
}

/** Why nodes with that root cannot start on this machine; undefined when they can. */
export function whyMissing(root: MachineRoot): string | undefined {
  if (root === 'linux' || existsSync(frrScript)) return undefined;
  return `there is no ${frrScript}: install the package frr ("systemctl disable --now frr" stops its daemons on the machine itself)`;
}

/** The version of the machine's own FRR; undefined when it does not report one. */
export async function frrVersion(): Promise<string | undefined> {
  const result = await runProgram(zebraFile, ['--version']).catch(() => undefined);
  return result && frrVersionIn(result.stdout);
}
