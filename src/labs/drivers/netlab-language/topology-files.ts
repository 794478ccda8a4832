/** The topology files of netlab: where they are, and what the service reads in them. */
import path from 'node:path';
import { isMapping, textOf, type Mapping } from '../../../lib/mapping.ts';
import { maxParsedLength } from '../../../lib/text/yaml-depth.ts';
import { understand } from '../../system/foreign-file.ts';
import type { LabDriver, TopologyFiles, TopologySummary } from '../lab-driver.ts';
import { topologyYaml } from '../topology-yaml.ts';

/** netlab reads `defaults.multilab.id: 3` and `defaults: {multilab: {id: 3}}` alike, and every mixture (Box with dots). */
function dotted(value: unknown, keys: readonly string[]): unknown {
  if (keys.length === 0) return value;
  if (!isMapping(value)) return undefined;
  for (let length = keys.length; length > 0; length -= 1) {
    const key = keys.slice(0, length).join('.');
    const found = Object.hasOwn(value, key) ? dotted(value[key], keys.slice(length)) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

const setting = ['defaults', 'multilab', 'id'] as const;

/** The multilab id in a topology. Few topologies have one, so the others are not parsed at all. */
async function multilabIdIn(text: string): Promise<unknown> {
  if (text.length > maxParsedLength || !text.includes('multilab')) return undefined;
  // The lab CLI will say what is wrong with it.
  return dotted(await understand(topologyYaml, Buffer.from(text)).catch(() => undefined), setting);
}

/**
 * The multilab id, else `default` (netsim/utils/status.py, get_lab_id). `multilabId` becomes the last `--set`, and
 * settings come before the topology. Other sources of netlab (netsim/utils/read.py, load) are not read: the
 * variable `NETLAB_MULTILAB_ID` of the service, which beats the topology, and files of defaults (`topology-defaults.yml`
 * in the directory or at home, `~/.netlab.yml`, those of the system and those that `defaults.sources` names), which the
 * topology beats. Each is one id for many labs, which is what a multilab id is not for.
 */
export const instanceOf = async ({
  options,
  topologyText,
}: Parameters<LabDriver['instanceOf']>[0]): Promise<string> => {
  const given = options.multilabId ?? options.set?.[setting.join('.')];
  const id = given ?? (topologyText === undefined ? undefined : await multilabIdIn(topologyText));
  return (typeof id === 'number' || typeof id === 'string') && id !== '' ? String(id) : 'default';
};

/** Whether YAML 1.1, which netlab reads, takes a word that begins with a letter for text: not `null` and `yes`. */
async function isTextInYaml(word: string): Promise<boolean> {
  // The command line finds its lab CLI with this driver and needs no YAML, which takes longer to load than the rest.
  const { parse } = await import('yaml');
  const read: unknown = parse(word, { version: '1.1' });
  // The library takes `e1` for a number; none begins with a letter.
  return typeof read === 'string' || typeof read === 'number';
}

/**
 * The name that netlab gives a lab whose topology file lies in `directory` (netsim/augment/topology.py, name_from_path):
 * ASCII letters and digits, at most 12. With `--set` it wants a letter first, and text.
 */
async function labNameFrom(directory: string): Promise<string> {
  const name = path
    .basename(directory)
    .replaceAll(/[^A-Za-z0-9]/g, '')
    .slice(0, 12);
  if (name === '') return 'default';
  const isText = /^[A-Za-z]/.test(name) && (await isTextInYaml(name));
  return isText ? name : `lab${name}`.slice(0, 12);
}

function trimmedText(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  return textOf(typeof value === 'string' ? value.trim() : value);
}

function countOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return isMapping(value) ? Object.keys(value).length : 0;
}

/** The device of each node, of the groups, and the default for the others. */
function devicesOf(topology: Mapping, fallback: string | null): readonly string[] {
  const { nodes, groups } = topology;
  const named = [nodes, groups].flatMap((map) => (isMapping(map) ? Object.values(map) : []));
  const own = named.map((one) => (isMapping(one) ? trimmedText(one['device']) : null));
  const isComplete = isMapping(nodes) && Object.values(nodes).every((one) => isMapping(one) && one['device']);
  return [...new Set([...own, isComplete ? null : fallback])].filter((device) => device !== null);
}

/** The files that netlab makes of a topology, and the parts that they have and topologies do not. */
const madeFiles: readonly (readonly [name: RegExp, isMade: (document: Mapping) => boolean])[] = [
  // netsim/templates/provider/clab/clab.j2.
  [
    /^clab(-augment)?\.yml$/,
    ({ prefix, mgmt, topology }) => prefix !== undefined && isMapping(mgmt) && isMapping(topology),
  ],
  // netsim/outputs/ansible.py; containerlab writes such a file as well.
  [/^(hosts|ansible-inventory)\.yml$/, ({ all }) => isMapping(all)],
];

/** netsim/outputs/yaml.py. */
const isSnapshot = ({ _netlab_version: version }: Mapping): boolean => version !== undefined;

/** The summary of a topology. A lab without a title is shown by its name. */
function summarizeTopology(topology: Mapping): TopologySummary {
  const device = trimmedText(dotted(topology, ['defaults', 'device']));
  return {
    title: trimmedText(topology['title']) ?? trimmedText(topology['name']),
    description: trimmedText(topology['description']),
    provider: trimmedText(topology['provider']) ?? trimmedText(dotted(topology, ['defaults', 'provider'])),
    device,
    devices: devicesOf(topology, device),
    nodes: countOf(topology['nodes']),
    links: countOf(topology['links']),
    unsupported: [],
  };
}

/** The program that each provider of netlab needs (netsim/providers). */
export const programsOf: Readonly<Record<string, readonly string[]>> = {
  clab: ['containerlab', 'docker'],
  libvirt: ['vagrant', 'virsh'],
  virtualbox: ['vagrant', 'VBoxManage'],
};

/** Without a provider in the topology, an administrator's file may choose one (`~/.netlab.yml`): nothing is known then. */
function missingPrograms(
  { provider }: Pick<TopologySummary, 'provider'>,
  has: (program: string) => boolean,
): readonly string[] {
  const programs = Object.hasOwn(programsOf, provider ?? '') ? programsOf[provider ?? ''] : undefined;
  return (programs ?? [])
    .filter((program) => !has(program))
    .map((program) => `provider ${provider} needs ${program}, which is not installed here`);
}

/** Best first. The first two are those of netlab api. */
const topologyPlaces = [
  'netlab/topology.yml',
  'netlab/topology.yaml',
  'topology.yml',
  'topology.yaml',
] as const;

export const topologyFiles: TopologyFiles = {
  candidates: () => Promise.resolve(topologyPlaces),
  places: topologyPlaces,
  isName: (name) => /\.ya?ml$/.test(name),
  isMade: (name, document) =>
    isSnapshot(document) ||
    (document['nodes'] === undefined &&
      madeFiles.some(([pattern, isMade]) => pattern.test(name) && isMade(document))),
  summarize: summarizeTopology,
  missing: missingPrograms,
  labNameFrom,
};
