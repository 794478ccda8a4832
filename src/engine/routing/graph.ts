/** A lab as a graph, the input of route computation. */
import {
  comparePrefixes,
  formatAddress,
  formatPrefix,
  networkOf,
  parsePrefix,
  type Family,
  type Prefix,
} from '../../lib/net/ip.ts';
import type { LabLink, LabNode } from '../core/lab.ts';

/** A segment: the ends of one link that are in one network, and so reach each other without a router. */
export interface Segment {
  /** Index in `destinations`; -1 for the unnumbered ends of a link, which are in no network. */
  readonly destination: number;
  /** In the order of the link's ends. A node with two ends on the link appears twice. */
  readonly members: readonly Member[];
}

export interface Member {
  /** Index of the node. */
  readonly node: number;
  readonly address: string;
  /** The interface if it is unnumbered: the address alone does not identify the link. */
  readonly dev?: string;
}

/** One family of a lab as a graph: nodes and segments. */
export interface Graph {
  readonly family: Family;
  /**
   * All networks that contain an address of the lab, without duplicates; sorted by address, a network before those it
   * covers.
   */
  readonly destinations: readonly Prefix[];
  readonly segments: readonly Segment[];
  /** For each node, the indexes of its segments in the order of its interfaces. */
  readonly segmentsOf: readonly (readonly number[])[];
  /** For each node, the index of the destination that is its loopback; -1 if it has none. */
  readonly loopbackOf: readonly number[];
  readonly isRouter: readonly boolean[];
}

/** A next hop; `dev` only on an unnumbered link. */
export interface NextHop {
  readonly via: string;
  readonly dev?: string;
}

/** The next hop with this address on a segment, for a node on that segment. */
export function nextHop({ members }: Segment, from: number, via: string): NextHop {
  const dev = members.find(({ node }) => node === from)?.dev;
  return dev === undefined ? { via } : { via, dev };
}

interface DraftSegment {
  readonly network: string;
  readonly members: Member[];
}

/** The address of one end of a link in one family. */
interface EndAddress {
  readonly node: number;
  readonly prefix: Prefix;
  readonly isUnnumbered: boolean;
}

/** The key of unnumbered ends, in place of the network. */
const noNetwork = '';

/** Groups the ends of a link by network. */
function draftsOf(link: LabLink, addressOf: (node: string, ifname: string) => EndAddress | undefined) {
  const drafts = new Map<string, DraftSegment>();
  for (const { node, ifname } of link.ends) {
    const found = addressOf(node, ifname);
    if (found === undefined) continue;
    const { prefix, isUnnumbered } = found;
    const network = isUnnumbered ? noNetwork : formatPrefix(networkOf(prefix));
    const draft = drafts.get(network) ?? { network, members: [] };
    const address = formatAddress(prefix.bits, prefix.family);
    draft.members.push({ node: found.node, address, ...(isUnnumbered && { dev: ifname }) });
    drafts.set(network, draft);
  }
  return [...drafts.values()];
}

function sortedNetworks(texts: Iterable<string>): Prefix[] {
  return [...new Set(texts)].flatMap((text) => parsePrefix(text) ?? []).toSorted(comparePrefixes);
}

function addressTable(nodes: readonly LabNode[], family: Family): Map<string, EndAddress> {
  const table = new Map<string, EndAddress>();
  for (const [index, node] of nodes.entries()) {
    for (const { ifname, unnumbered = [], [family]: own } of node.interfaces) {
      const isUnnumbered = unnumbered.includes(family);
      const prefix = parsePrefix((isUnnumbered ? node.loopback?.[family] : own) ?? '');
      if (prefix !== undefined) table.set(`${node.name} ${ifname}`, { node: index, prefix, isUnnumbered });
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
    segments: drafts.map(({ network, members }) => ({ destination: indexes.get(network) ?? -1, members })),
    segmentsOf,
    loopbackOf: loopbacks.map((network) => indexes.get(network) ?? -1),
    isRouter: nodes.map(({ role }) => role === 'router'),
  };
}
