/** Parts of topologies by hand. */
import type { TopologyLink, TopologyNode } from '../../../../src/labs/drivers/topology.ts';

export function node(name: string, role = 'router'): TopologyNode {
  return { name, device: 'frr', role, groups: [], as: null, modules: [], loopback: null, interfaces: [] };
}

/** Its interfaces are called after node and link. */
export function link(id: string, nodes: readonly string[]): TopologyLink {
  return {
    id,
    type: nodes.length > 2 ? 'lan' : 'p2p',
    prefix: { ipv4: `10.0.${id}.0/24`, ipv6: null },
    endpoints: nodes.map((name, index) => {
      return { node: name, interface: `${name}-${id}`, ipv4: `10.0.${id}.${index + 1}/24`, ipv6: null };
    }),
  };
}
