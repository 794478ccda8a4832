/** The parts of a topology that a search looks at, ready to be compared. */
import { covers, families, type Prefix } from '../../lib/net/ip.ts';
import type { Addresses, LabTopology, TopologyNode } from '../drivers/topology.ts';
import { prefixOf } from './search-query.ts';

export interface Endpoint {
  readonly node: string;
  readonly interface: string;
}

interface AddressFact {
  readonly node: string;
  /** Null for a loopback. */
  readonly interface: string | null;
  readonly link: string | null;
  /** As the topology has it: `10.1.0.1/30`. */
  readonly value: string;
  readonly prefix: Prefix;
  /** Whether the link has the same prefix, and so tells it. */
  readonly isOfLink: boolean;
}

interface LinkFact {
  readonly link: string;
  readonly value: string;
  readonly prefix: Prefix;
  /** The first ones. */
  readonly endpoints: readonly Endpoint[];
}

export interface Facts {
  readonly addresses: readonly AddressFact[];
  readonly links: readonly LinkFact[];
  readonly nodes: readonly Pick<TopologyNode, 'name' | 'device' | 'as' | 'modules'>[];
  /** How many of them there are. */
  readonly size: number;
}

/** A shared network may have thousands. */
export const mostEndpoints = 10;

function read(addresses: Addresses): { readonly value: string; readonly prefix: Prefix }[] {
  return families.flatMap((family) => {
    const value = addresses[family];
    const prefix = value === null ? undefined : prefixOf(value);
    return value === null || prefix === undefined ? [] : [{ value, prefix }];
  });
}

/** In one pass over the topology. */
export function factsOf(topology: LabTopology): Facts {
  const links = topology.links.flatMap(({ id, prefix, endpoints }) => {
    const first = endpoints.slice(0, mostEndpoints);
    const ends = first.map((end) => ({ node: end.node, interface: end.interface }));
    return read(prefix).map((one) => ({ link: id, ...one, endpoints: ends }));
  });
  const networks = new Map<string, Prefix>();
  for (const { link, prefix } of links) networks.set(`${prefix.family} ${link}`, prefix);
  const isOfLink = (link: string | null, prefix: Prefix): boolean => {
    const network = networks.get(`${prefix.family} ${link ?? ''}`);
    return network !== undefined && network.length === prefix.length && covers(network, prefix);
  };
  const addresses = topology.nodes.flatMap(({ name: node, loopback, interfaces }) => [
    ...read(loopback ?? { ipv4: null, ipv6: null }).map((one) => {
      return { node, interface: null, link: null, ...one, isOfLink: false };
    }),
    ...interfaces.flatMap(({ name, link, ipv4, ipv6 }) =>
      read({ ipv4, ipv6 }).map((one) => {
        return { node, interface: name, link, ...one, isOfLink: isOfLink(link, one.prefix) };
      }),
    ),
  ]);
  const nodes = topology.nodes.map(({ name, device, as, modules }) => ({ name, device, as, modules }));
  return { addresses, links, nodes, size: addresses.length + links.length + nodes.length };
}
