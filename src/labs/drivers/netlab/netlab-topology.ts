/** Reads the output of `netlab inspect` (netlab 26.10: netsim/cli/inspect.py, and the transformed topology of its documentation). */
import { isMapping, textOf, type Mapping } from '../../../lib/mapping.ts';
import { shortBytes, understand, type Form } from '../../system/foreign-file.ts';
import type { TopologyDriver } from '../topology-driver.ts';
import { findingsIn } from '../netlab-language/findings.ts';
import { inspected } from './inspected.ts';
import { netlabReports } from './netlab-reports.ts';
import type {
  Addresses,
  LabTopology,
  TopologyEndpoint,
  TopologyInterface,
  TopologyLink,
  TopologyNode,
} from '../topology.ts';
import { inspectFailure, ranToItsEnd } from '../status-failure.ts';

/** `true` stands for an unnumbered interface, `false` for none. */
function addressesOf({ ipv4, ipv6 }: Mapping): Addresses {
  return { ipv4: textOf(ipv4), ipv6: textOf(ipv6) };
}

function mappingsIn(value: unknown): Mapping[] {
  return Array.isArray(value) ? value.filter(isMapping) : [];
}

function linkIdOf({ linkindex }: Mapping): string | null {
  return typeof linkindex === 'number' ? String(linkindex) : null;
}

function interfaceOf(one: Mapping): TopologyInterface {
  return { name: textOf(one['ifname']) ?? '', link: linkIdOf(one), ...addressesOf(one) };
}

/** The groups of each node. Not those that netlab makes for itself, such as `netlab_no_collect`. */
function groupsOf(groups: unknown): ReadonlyMap<unknown, readonly string[]> {
  const found = new Map<unknown, string[]>();
  for (const [id, group] of Object.entries(isMapping(groups) ? groups : {})) {
    const members: unknown = isMapping(group) && !/^(netlab)?_/.test(id) ? group['members'] : undefined;
    for (const name of new Set(Array.isArray(members) ? (members as unknown[]) : [])) {
      const own = found.get(name);
      if (own) own.push(id);
      else found.set(name, [id]);
    }
  }
  return found;
}

/** Also those written as `1.10`: netlab has made a number of them (netsim/data/types.py, transform_asdot). */
function asOf({ bgp }: Mapping): number | null {
  const number = isMapping(bgp) ? bgp['as'] : undefined;
  return Number.isSafeInteger(number) ? Number(number) : null;
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

function nodeOf([name, node]: readonly [string, Mapping], groups: ReturnType<typeof groupsOf>): TopologyNode {
  const loopback = isMapping(node['loopback']) ? addressesOf(node['loopback']) : null;
  const hasLoopback = loopback !== null && (loopback.ipv4 ?? loopback.ipv6) !== null;
  return {
    name,
    device: textOf(node['device']),
    role: textOf(node['role']),
    groups: groups.get(name) ?? [],
    as: asOf(node),
    modules: textsIn(node['module']),
    loopback: hasLoopback ? loopback : null,
    interfaces: mappingsIn(node['interfaces']).map(interfaceOf),
  };
}

function endpointOf(end: Mapping): TopologyEndpoint {
  return { node: textOf(end['node']) ?? '', interface: textOf(end['ifname']) ?? '', ...addressesOf(end) };
}

function linkOf(link: Mapping, index: number): TopologyLink {
  return {
    id: linkIdOf(link) ?? String(index + 1),
    type: textOf(link['type']) ?? 'p2p',
    prefix: addressesOf(isMapping(link['prefix']) ? link['prefix'] : {}),
    endpoints: mappingsIn(link['interfaces']).map(endpointOf),
  };
}

/** Undefined for what is no transformed topology. */
function topologyOf(document: unknown): LabTopology | undefined {
  if (!isMapping(document) || !isMapping(document['nodes'])) return undefined;
  const { nodes, links } = document;
  const groups = groupsOf(document['groups']);
  const named = Object.entries(nodes).filter((pair): pair is [string, Mapping] => isMapping(pair[1]));
  // Printed by name; their numbers are in the order of the topology file.
  const ordered = named.toSorted(([, a], [, b]) => Number(a['id']) - Number(b['id']));
  return { nodes: ordered.map((pair) => nodeOf(pair, groups)), links: mappingsIn(links).map(linkOf) };
}

export const netlabTopologyForm: Form<LabTopology | undefined> = {
  name: 'netlab inspect',
  maxBytes: 32 * 1024 * 1024,
  besideBytes: shortBytes,
  read: (output) => topologyOf(inspected(output)),
};

/** The multilab id, else `default` (netsim/utils/status.py, get_lab_id). */
function instanceIn(output: Buffer): string | undefined {
  const defaults = inspected(output);
  if (!isMapping(defaults)) return undefined;
  const { id } = defaults;
  return typeof id === 'number' ? String(id) : (textOf(id) ?? 'default');
}

export const netlabTopology: TopologyDriver = {
  findings: findingsIn,
  snapshotName: () => 'netlab.snapshot.pickle',
  keptInstance: async (_directory, run) => {
    try {
      const { exitCode, stdout } = await run(['inspect', '--format', 'json', 'defaults.multilab']);
      return exitCode === 0 ? instanceIn(stdout) : undefined;
    } catch {
      return undefined;
    }
  },
  read: async (_directory, run) => {
    // `nodefault` leaves out all that netlab knows of devices: a megabyte.
    const result = await run(['inspect', '--format', 'json', 'nodefault']);
    const isWhole = ranToItsEnd(result) && result.exitCode === 0;
    const topology = isWhole
      ? await understand(netlabTopologyForm, result.stdout).catch(() => undefined)
      : undefined;
    if (topology === undefined) throw inspectFailure(result);
    return topology;
  },
  reports: netlabReports,
};
