import type {
  LabTopology,
  TopologyEndpoint,
  TopologyInterface,
} from '../../../../../../../src/client/api-types.ts';

/** What else is on the link of an interface: one end, none, or several on a shared network. */
export function neighboursOf(
  topology: LabTopology,
  node: string,
  { name, link }: TopologyInterface,
): readonly TopologyEndpoint[] {
  const found = topology.links.find(({ id }) => id === link);
  return (found?.endpoints ?? []).filter((end) => end.node !== node || end.interface !== name);
}
