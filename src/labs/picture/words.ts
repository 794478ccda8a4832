import type { Fault } from '../model/fault.ts';
import type { TopologyLink, TopologyNode } from '../drivers/topology.ts';

/** The state of a node as it is shown. `late`: it is up, and not ready. */
export type DrawnState = 'up' | 'late' | 'down' | 'unknown';

export const stateWords: Readonly<Record<DrawnState, string>> = {
  up: 'up',
  late: 'not ready',
  down: 'down',
  unknown: 'unknown',
};

const whenLate = { up: 'late', down: 'down', unknown: 'unknown' } as const;

export function drawnState(state: keyof typeof whenLate, ready: boolean | null | undefined): DrawnState {
  return ready === false ? whenLate[state] : state;
}

/** A description of a node, for screen readers and tooltips. */
export function nodeWords({ name, device, role, loopback }: TopologyNode, state: string | undefined): string {
  const addresses = [loopback?.ipv4 ?? null, loopback?.ipv6 ?? null];
  return [name, role, device, ...addresses, state ?? null].filter((word) => word !== null).join(', ');
}

/** A description of a link: one line for each end. */
export function linkWords({ type, prefix, endpoints }: TopologyLink): string {
  const ends = endpoints.map(({ node, interface: name, ipv4, ipv6 }) =>
    [node, name, ipv4, ipv6].filter((word) => word !== null).join(' '),
  );
  const prefixes = [prefix.ipv4, prefix.ipv6].filter((word) => word !== null);
  return [[type, ...prefixes].join(' '), ...ends].join('\n');
}

/** `down`, or `bgpd killed`. */
export function shortFaultWords({ kind, process }: Fault): string {
  return process === null ? kind : `${process} ${kind}`;
}

/** A description of a fault: `down, by alice, until 2026-01-15T18:00:00.000Z`. */
export function faultWords(fault: Fault): string {
  const { user, expiresAt } = fault;
  const words = [shortFaultWords(fault), user && `by ${user}`, expiresAt && `until ${expiresAt}`];
  return words.filter(Boolean).join(', ');
}

/** The fault of a node itself. */
export function faultOfNode(faults: readonly Fault[], node: string): Fault | undefined {
  return faults.find((fault) => fault.link === null && fault.node === node);
}

/** The faults of isolated nodes among these: all their links are down. */
export function isolatedAmong(faults: readonly Fault[], nodes: readonly string[]): Fault[] {
  return faults.filter(
    ({ link, node, kind }) => link === null && kind === 'isolated' && node !== null && nodes.includes(node),
  );
}

/** The fault that breaks a link between these nodes: a fault of the link, or of an isolated node. */
export function faultAt(
  faults: readonly Fault[],
  { id }: Pick<TopologyLink, 'id'>,
  nodes: readonly string[],
): Fault | undefined {
  return faults.find((fault) => {
    const isHere = fault.node !== null && nodes.includes(fault.node);
    if (fault.link === null) return isolatedAmong([fault], nodes).length > 0;
    return fault.link === id && (fault.node === null || isHere);
  });
}
