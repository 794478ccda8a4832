import { covers, type Prefix } from '../../lib/net/ip.ts';
import type { ListedLab } from '../status/lab-list.ts';
import type { Endpoint, Facts } from './facts-of.ts';
import { prefixOf, type SearchQuery } from './search-query.ts';

/**
 * How a value fits a query. `has`: it is what was asked for, or a name with that in it. `inside`: it lies in the prefix that was
 * asked for. `contains`: the address or prefix that was asked for lies in it.
 */
export const matchKinds = ['has', 'inside', 'contains'] as const;
export type MatchKind = (typeof matchKinds)[number];

export const foundThings = [
  'interface',
  'loopback',
  'management',
  'link',
  'as',
  'module',
  'device',
  'node',
  'lab',
] as const;

export interface Found {
  readonly match: MatchKind;
  /** The thing that has the value. */
  readonly thing: (typeof foundThings)[number];
  /** Null for a lab or a link. */
  readonly node: string | null;
  readonly interface: string | null;
  readonly link: string | null;
  readonly value: string;
  /** Of a link: its first ends. */
  readonly endpoints: readonly Endpoint[];
}

/** The nodes that the status tells, and what the topology tells; undefined where it was not asked or cannot be read. */
interface SearchedLab {
  readonly lab: Pick<ListedLab, 'id' | 'name' | 'nodes'>;
  readonly facts: Facts | undefined;
}

type Of<Kind extends SearchQuery['kind']> = Extract<SearchQuery, { kind: Kind }>;

const nothing = { node: null, interface: null, link: null, endpoints: [] } as const;

/** Whether the status alone does not tell. */
export function needsTopology({ kind }: SearchQuery, { nodes }: Pick<ListedLab, 'nodes'>): boolean {
  return (kind !== 'name' && kind !== 'device') || nodes.length === 0;
}

/** How an address with its prefix length fits. */
function fitOf(prefix: Prefix, { kind, network }: Of<'address' | 'prefix'>): MatchKind | undefined {
  const { bits, family } = prefix;
  const width = family === 'ipv4' ? 32 : 128;
  if (covers(network, { family, bits, length: width })) return kind === 'address' ? 'has' : 'inside';
  return covers(prefix, network) ? 'contains' : undefined;
}

/** How the prefix of a link fits. */
function linkFit(prefix: Prefix, { kind, network }: Of<'address' | 'prefix'>): MatchKind | undefined {
  if (kind === 'prefix' && covers(network, prefix)) return 'inside';
  return covers(prefix, network) ? 'contains' : undefined;
}

const keyOf = (node: string, prefix: Prefix | undefined): string =>
  `${prefix?.family} ${prefix?.bits} ${node}`;

function* addressesIn({ lab, facts }: SearchedLab, query: Of<'address' | 'prefix'>): Generator<Found> {
  const told = new Set<string>();
  for (const { isOfLink, prefix, value, node, link, interface: name } of facts?.addresses ?? []) {
    const match = fitOf(prefix, query);
    if (match === undefined || (match === 'contains' && isOfLink)) continue;
    const thing = name === null ? 'loopback' : 'interface';
    told.add(keyOf(node, prefix));
    yield { ...nothing, match, thing, node, interface: name, link, value };
  }
  for (const { name: node, address } of lab.nodes) {
    const prefix = address === null ? undefined : prefixOf(address);
    const match = prefix && fitOf(prefix, query);
    // The nodes of the engine are managed by their loopbacks.
    if (match !== undefined && address !== null && !told.has(keyOf(node, prefix)))
      yield { ...nothing, match, thing: 'management', node, value: address };
  }
  for (const { prefix, value, link, endpoints } of facts?.links ?? []) {
    const match = linkFit(prefix, query);
    if (match !== undefined) yield { ...nothing, match, thing: 'link', link, value, endpoints };
  }
}

/** From the status, which needs no topology; else from the topology. */
function nodesOf({
  lab,
  facts,
}: SearchedLab): readonly { readonly name: string; readonly device: string | null }[] {
  return lab.nodes.length > 0 ? lab.nodes : (facts?.nodes ?? []);
}

function* namesIn(searched: SearchedLab, text: string): Generator<Found> {
  const { id, name } = searched.lab;
  const own = [id, name].find((one) => one?.toLowerCase().includes(text));
  if (own !== undefined && own !== null) yield { ...nothing, match: 'has', thing: 'lab', value: own };
  for (const { name: node } of nodesOf(searched))
    if (node.toLowerCase().includes(text))
      yield { ...nothing, match: 'has', thing: 'node', node, value: node };
}

function* nodesWith(
  thing: 'as' | 'module' | 'device',
  values: Iterable<readonly [node: string, value: string | undefined]>,
): Generator<Found> {
  for (const [node, value] of values)
    if (value !== undefined) yield { ...nothing, match: 'has', thing, node, value };
}

/** Everything in a lab that fits, in time that grows with the lab. */
export function* findInLab(searched: SearchedLab, query: SearchQuery): Generator<Found> {
  const nodes = searched.facts?.nodes ?? [];
  switch (query.kind) {
    case 'address':
    case 'prefix':
      yield* addressesIn(searched, query);
      return;
    case 'as':
      yield* nodesWith(
        'as',
        nodes.map(({ name, as }) => [name, as === query.as ? query.text : undefined]),
      );
      if (query.name !== undefined) yield* namesIn(searched, query.name);
      return;
    case 'module':
      yield* nodesWith(
        'module',
        nodes.map(({ name, modules }) => [name, modules.find((one) => one.toLowerCase() === query.text)]),
      );
      return;
    case 'device':
      yield* nodesWith(
        'device',
        nodesOf(searched).map(({ name, device }) => {
          return [name, device?.toLowerCase() === query.text ? (device ?? undefined) : undefined];
        }),
      );
      return;
    case 'name':
      yield* namesIn(searched, query.text);
  }
}
