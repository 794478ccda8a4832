import type { TopologyNode } from '../../src/labs/drivers/topology.ts';

/** A node of a topology with a name, and nothing else. */
export function bareNode(name: string): TopologyNode {
  return {
    name,
    device: null,
    role: null,
    groups: [],
    as: null,
    modules: [],
    loopback: null,
    interfaces: [],
  };
}
