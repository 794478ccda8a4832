/** Finds the interfaces that a fault is about. */
import type { LabTopology, TopologyLink } from '../labs/drivers/topology.ts';
import type { FaultTarget, WantedFault } from '../labs/model/fault.ts';
import { AppError, invalidField } from '../lib/app-error.ts';

const listedMax = 20;

/** For sentences: the first of many. */
export function listed(words: readonly string[]): string {
  return `${words.slice(0, listedMax).join(', ')}${words.length > listedMax ? ', …' : ''}`;
}

/** `r1-r2`, the nodes of a link in the order of the topology. */
export function nodesOf({ endpoints }: TopologyLink): string {
  return endpoints.map(({ node }) => node).join('-');
}

/**
 * The link of an id, or the only one between the nodes of a name such as `r1-r2`, in either order.
 * @throws AppError `link-not-found`; `invalid-request` for the name of several links.
 */
export function findLink({ links }: LabTopology, name: string): TopologyLink {
  const named = links.find(({ id }) => id === name);
  if (named) return named;
  const between = links.filter((link) => {
    const [first, second] = link.endpoints;
    if (first === undefined || second === undefined || link.endpoints.length !== 2) return false;
    return [`${first.node}-${second.node}`, `${second.node}-${first.node}`].includes(name);
  });
  const [only, ...more] = between;
  if (only && more.length === 0) return only;
  if (only)
    throw invalidField(
      'link',
      `several links are "${name}": give one of ${between.map(({ id }) => id).join(', ')}`,
    );
  const known = links.map((link) => `${link.id} (${nodesOf(link)})`);
  throw new AppError('link-not-found', `the lab has no link "${name}"; its links are ${listed(known)}`);
}

/** @throws AppError `node-not-found`. */
export function assertNode({ nodes }: LabTopology, node: string): void {
  if (nodes.some(({ name }) => name === node)) return;
  const names = nodes.map(({ name }) => name);
  throw new AppError('node-not-found', `the lab has no node "${node}"; its nodes are ${listed(names)}`);
}

export interface FaultEnds extends FaultTarget {
  /** By node. Without interfaces for a fault of its processes. */
  readonly interfaces: ReadonlyMap<string, readonly string[]>;
}

function byNode(ends: TopologyLink['endpoints']): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, readonly string[]>();
  for (const end of ends) names.set(end.node, [...(names.get(end.node) ?? []), end.interface]);
  return names;
}

/** @throws AppError `link-not-found`, `node-not-found`, `invalid-request`, `not-supported`. */
export function endsOf(
  topology: LabTopology,
  { link: name, node, kind }: Pick<WantedFault, 'link' | 'node' | 'kind'>,
): FaultEnds {
  if (name !== null) {
    const { id, endpoints } = findLink(topology, name);
    const ends = node === null ? endpoints : endpoints.filter((end) => end.node === node);
    if (ends.length === 0) {
      const nodes = endpoints.map((end) => end.node);
      throw invalidField('node', `link ${id} does not end at "${node ?? ''}" but at ${listed(nodes)}`);
    }
    return { link: id, node, interfaces: byNode(ends) };
  }
  const own = node ?? '';
  assertNode(topology, own);
  if (kind !== 'isolated') return { link: null, node: own, interfaces: new Map([[own, []]]) };
  const ends = topology.links.flatMap(({ endpoints }) => endpoints.filter((end) => end.node === own));
  if (ends.length === 0) throw new AppError('not-supported', `${own} has no links`);
  return { link: null, node: own, interfaces: byNode(ends) };
}
