import type { TopologyLink, TopologyNode } from '../drivers/topology.ts';

/** What a node is, for those who hear the picture, or point at it. */
export function nodeWords({ name, device, role, loopback }: TopologyNode, state: string | undefined): string {
  const addresses = [loopback?.ipv4 ?? null, loopback?.ipv6 ?? null];
  return [name, role, device, ...addresses, state ?? null].filter((word) => word !== null).join(', ');
}

/** What a link joins: a line for each of its ends. */
export function linkWords({ type, prefix, endpoints }: TopologyLink): string {
  const ends = endpoints.map(({ node, interface: name, ipv4, ipv6 }) =>
    [node, name, ipv4, ipv6].filter((word) => word !== null).join(' '),
  );
  const prefixes = [prefix.ipv4, prefix.ipv6].filter((word) => word !== null);
  return [[type, ...prefixes].join(' '), ...ends].join('\n');
}
