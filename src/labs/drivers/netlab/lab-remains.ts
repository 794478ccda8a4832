/**
 * Finds the remains of a lab on this machine by the labels of the lab in that directory. Without an answer of Docker, none is
 * found, which proves nothing.
 */
import path from 'node:path';
import { exists } from '../../../lib/files/exists.ts';
import { isMapping } from '../../../lib/mapping.ts';
import { readForeign, type Form } from '../../system/foreign-file.ts';
import { upSince } from '../docker-status.ts';
import type { ClaimedSuccess, LabDown } from '../lab-driver.ts';
import { loadYaml } from '../netlab-language/recorded-labs.ts';
import type { NodeStatus } from '../status-driver.ts';

/** Both are containerlab's labels; `containerlab` has the name of the lab, which another directory may use as well. */
const fields = [
  '.Names',
  '.Label "clab-topo-file"',
  '.Mounts',
  '.Label "clab-node-name"',
  '.Image',
  '.Status',
] as const;

/**
 * Stopped ones too: `down` removes them. A container belongs to the lab of the directory that its topology file is in; one
 * without that label (it is newer than the others) to that whose generated configurations it has mounted.
 */
const listContainers = [
  'ps',
  '--all',
  '--no-trunc',
  '--filter',
  'label=containerlab',
  '--format',
  fields.map((field) => `{{${field}}}`).join('\t'),
] as const;

function belongsTo(workdir: string, [, topologyFile = '', mounts = '']: readonly string[]): boolean {
  if (topologyFile !== '') return path.dirname(topologyFile) === workdir;
  // One list with commas: a directory with a comma in its name is still found this way.
  return [`${workdir}/node_files/`, `${workdir}/clab-`].some((prefix) => `,${mounts}`.includes(`,${prefix}`));
}

/** The fields of each container of the lab. */
async function containersOf({
  workdir,
  look,
}: Pick<ClaimedSuccess, 'workdir' | 'look'>): Promise<readonly (readonly string[])[]> {
  const { exitCode, stdout } = await look('docker', listContainers);
  if (exitCode !== 0) return [];
  const rows = stdout.toString('utf8').split('\n');
  return rows.map((row) => row.split('\t')).filter((row) => belongsTo(workdir, row));
}

async function leftContainers(lab: Pick<ClaimedSuccess, 'workdir' | 'look'>): Promise<string[]> {
  return (await containersOf(lab)).map(([name = '']) => name);
}

/** The nodes of a lab by its containers: netlab tells none while an `up` goes on, or after an `up` that was ended half-way. */
export async function nodesOfContainers(
  lab: Pick<ClaimedSuccess, 'workdir' | 'look'>,
): Promise<readonly NodeStatus[]> {
  // Docker lists the newest first.
  const containers = (await containersOf(lab)).toReversed();
  return containers.map(([container = '', , , node, image, status = '']) => ({
    name: node || container,
    device: null,
    provider: 'clab',
    image: image || null,
    address: null,
    state: status.startsWith('Up') ? 'up' : 'down',
    since: upSince(status, Date.now()),
    container: { name: container, partOf: null, there: undefined },
  }));
}

/** The bridges that netlab made for the lab: `<name>_<link>` (netsim/augment/links.py, set_link_bridge_name). */
function bridgesOf(topology: unknown): string[] {
  if (!isMapping(topology) || typeof topology['name'] !== 'string') return [];
  const prefix = `${topology['name'].slice(0, 10)}_`;
  const inner = topology['topology'];
  const nodes = isMapping(inner) && isMapping(inner['nodes']) ? inner['nodes'] : {};
  return Object.entries(nodes)
    .filter(([, node]) => isMapping(node) && node['kind'] === 'bridge')
    .map(([name]) => name)
    .filter((name) => name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length)));
}

/** netlab writes it, and a job may have changed it since. */
export const bridgesForm: Form<readonly string[]> = {
  name: 'clab.yml',
  maxBytes: 4 * 1024 * 1024,
  besideBytes: 64 * 1024,
  read: (bytes) => bridgesOf(loadYaml(bytes.toString('utf8'))),
};

const devicesOfMachine = '/sys/class/net';

/** As long as there is a `clab.yml`: `cleanup` takes it away, and with it what the bridges were called. */
async function leftBridges(workdir: string, networkDevices: string): Promise<string[]> {
  try {
    const bridges = await readForeign(path.join(workdir, 'clab.yml'), bridgesForm);
    const isLeft = await Promise.all(bridges.map(async (name) => exists(path.join(networkDevices, name))));
    return bridges.filter((_name, index) => isLeft[index]);
  } catch {
    return [];
  }
}

/** The containers and bridges that remain of the lab in `workdir`, as a sentence; undefined if none was found. */
export async function remainsOfLab(
  claim: Pick<ClaimedSuccess, 'workdir' | 'look'>,
  networkDevices = devicesOfMachine,
): Promise<string | undefined> {
  const [containers, bridges] = await Promise.all([
    leftContainers(claim),
    leftBridges(claim.workdir, networkDevices),
  ]);
  const parts = [
    ...(containers.length === 0 ? [] : [`the containers ${containers.join(', ')}`]),
    ...(bridges.length === 0 ? [] : [`the bridges ${bridges.join(', ')}`]),
  ];
  return parts.length === 0 ? undefined : parts.join(' and ');
}

/** netlab gives the network and its bridge this name (netsim/defaults/multilab.yml). Labs without a multilab id share one. */
const managementNetworkOf = (instance: string | null): string | undefined =>
  instance !== null && /^\d+$/.test(instance) ? `nl_mgmt_${instance}` : undefined;

/**
 * Removes the management network of a lab with a multilab id: containerlab does so together with the last container, but not
 * after an `up` that failed before the first one. Docker itself refuses while a container runs in it; a stopped one would
 * lose it. `isTaken` tells whether a lab has the id again.
 */
export async function removeManagementNetwork(
  { instance, look }: Pick<LabDown, 'instance' | 'look'>,
  isTaken: () => Promise<boolean>,
  networkDevices = devicesOfMachine,
): Promise<readonly string[]> {
  const name = managementNetworkOf(instance);
  if (name === undefined) return [];
  const printed = async (...args: string[]): Promise<string | undefined> => {
    const { exitCode, stdout } = await look('docker', args);
    return exitCode === 0 ? stdout.toString('utf8').trim() : undefined;
  };
  const users = await printed('ps', '--all', '--filter', `network=${name}`, '--format', '{{.Names}}');
  if (await isTaken()) return [];
  if (users === '') await printed('network', 'rm', name);
  const networks = await printed('network', 'ls', '--filter', `name=^${name}$`, '--format', '{{.Name}}');
  const hasBridge = await exists(path.join(networkDevices, name)).catch(() => false);
  if (!hasBridge && (networks === undefined || networks === '')) return [];
  const why = users ? `, because containers use it: ${users.split('\n').join(', ')}` : '';
  return [
    `the management network "${name}" of the lab is still there${why}. "docker network rm ${name}" removes it when no container needs it`,
  ];
}
