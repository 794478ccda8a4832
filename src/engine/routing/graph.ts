/** A lab as a graph, from which routes are computed. */
import {
  comparePrefixes,
  formatAddress,
  formatPrefix,
  networkOf,
  parsePrefix,
  type Family,
  type Prefix,
} from '../core/ip.ts';
import type { LabLink, LabNode } from '../core/lab.ts';

/** A segment: the ends of one link that are in one network, and so reach each other without a router. */
interface Segment {
  /** Index in `destinations`. */
  readonly destination: number;
  /** In the order of the link's ends. A node with two ends on the link is there twice. */
  readonly members: readonly Member[];
}

interface Member {
  /** Index of the node. */
  readonly node: number;
  readonly address: string;
}

/** One family of a lab as a graph: nodes and segments. */
export interface Graph {
  readonly family: Family;
  /** Every network in which somebody has an address, once; sorted by address, a network before those that it covers. */
  readonly destinations: readonly Prefix[];
  readonly segments: readonly Segment[];
  /** Per node, the indexes of its segments in the order of its interfaces. */
  readonly segmentsOf: readonly (readonly number[])[];
  /** Per node, the index of the destination that its loopback is; -1 without one. */
  readonly loopbackOf: readonly number[];
  readonly isRouter: readonly boolean[];
}

interface DraftSegment {
  readonly network: string;
  readonly members: Member[];
}

/** Groups the ends of a link by network. */
function draftsOf(link: LabLink, addressOf: (node: string, ifname: string) => [number, Prefix] | undefined) {
  const drafts = new Map<string, DraftSegment>();
  for (const { node, ifname } of link.ends) {
    const found = addressOf(node, ifname);
    if (found === undefined) continue;
    const [index, prefix] = found;
    const network = formatPrefix(networkOf(prefix));
    const draft = drafts.get(network) ?? { network, members: [] };
    draft.members.push({ node: index, address: formatAddress(prefix.bits, prefix.family) });
    drafts.set(network, draft);
  }
  return [...drafts.values()];
}

function sortedNetworks(texts: Iterable<string>): Prefix[] {
  return [...new Set(texts)].flatMap((text) => parsePrefix(text) ?? []).toSorted(comparePrefixes);
}

function addressTable(nodes: readonly LabNode[], family: Family): Map<string, [number, Prefix]> {
  const table = new Map<string, [number, Prefix]>();
  for (const [index, node] of nodes.entries()) {
    for (const { ifname, [family]: text } of node.interfaces) {
      const prefix = text === undefined ? undefined : parsePrefix(text);
      if (prefix !== undefined) table.set(`${node.name} ${ifname}`, [index, prefix]);
    }
  }
  return table;
}

/** The graph of one family; an interface without an address of this family is not in it. */
export function graphOf(nodes: readonly LabNode[], links: readonly LabLink[], family: Family): Graph {
  const table = addressTable(nodes, family);
  const drafts = links.flatMap((link) => draftsOf(link, (node, ifname) => table.get(`${node} ${ifname}`)));
  const loopbacks = nodes.map(({ loopback }) => {
    const prefix = parsePrefix(loopback?.[family] ?? '');
    return prefix === undefined ? '' : formatPrefix(networkOf(prefix));
  });
  const used = [...drafts.map(({ network }) => network), ...loopbacks];
  const destinations = sortedNetworks(used.filter((text) => text !== ''));
  const indexes = new Map(destinations.map((prefix, index) => [formatPrefix(prefix), index]));
  const segmentsOf: number[][] = nodes.map(() => []);
  for (const [index, { members }] of drafts.entries())
    for (const node of new Set(members.map((member) => member.node))) segmentsOf[node]?.push(index);
  return {
    family,
    destinations,
    segments: drafts.map(({ network, members }) => ({ destination: indexes.get(network) ?? 0, members })),
    segmentsOf,
    loopbackOf: loopbacks.map((network) => indexes.get(network) ?? -1),
    isRouter: nodes.map(({ role }) => role === 'router'),
  };
}
