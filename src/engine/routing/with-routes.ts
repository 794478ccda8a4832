/** `routing/` computes the static routes of hosts and routers. This file does so for a whole lab. */
import { comparePrefixes, covers, families, formatPrefix, widthOf, type Prefix } from '../../lib/net/ip.ts';
import type { LabLink, LabNode, Route } from '../core/lab.ts';
import { graphOf, nextHop, type Graph, type Member, type NextHop, type Segment } from './graph.ts';
import { connected, PrefixTree, unreachable } from './prefix-tree.ts';
import { ShortestPaths } from './shortest-paths.ts';

/** The component of a host: none, because hosts do not forward. */
const noComponent = -1;

/** The unvisited routers on the segments of `node`; marks those segments as visited. */
function neighboursOf({ segments, segmentsOf, isRouter }: Graph, node: number, isSeen: Uint8Array): number[] {
  const neighbours: number[] = [];
  for (const segment of segmentsOf[node] ?? []) {
    if (isSeen[segment] === 1) continue;
    isSeen[segment] = 1;
    for (const member of segments[segment]?.members ?? [])
      if (isRouter[member.node] === true) neighbours.push(member.node);
  }
  return neighbours;
}

/** The component number of each node: two routers have the same number if routers connect them. */
function componentsOf(graph: Graph): Int32Array {
  const components = new Int32Array(graph.isRouter.length).fill(noComponent);
  const isSeen = new Uint8Array(graph.segments.length);
  for (const [start, isRouter] of graph.isRouter.entries()) {
    if (!isRouter) continue;
    const queue = [start];
    for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
      if (components[node] !== noComponent) continue;
      components[node] = start;
      queue.push(...neighboursOf(graph, node, isSeen));
    }
  }
  return components;
}

/** The error for an index without a next hop: a bug. */
const noHop: NextHop = { via: '' };

class FamilyRoutes {
  readonly #graph: Graph;
  readonly #tree: PrefixTree;
  readonly #paths: ShortestPaths;
  /** The prefixes that hosts send to their gateway: the pools, and destinations outside the pools. */
  readonly #coverage: readonly string[];
  /** The component of each node: two routers have the same component if other routers connect them. */
  readonly #componentOf: Int32Array;
  /** For each destination, the components that reach it. */
  readonly #componentsOfDestination: readonly Set<number>[];

  constructor(graph: Graph, pools: readonly Prefix[]) {
    this.#graph = graph;
    this.#tree = new PrefixTree(graph.destinations);
    this.#paths = new ShortestPaths(graph);
    this.#coverage = coverageOf(graph, pools);
    this.#componentOf = componentsOf(graph);
    this.#componentsOfDestination = this.#findComponents();
  }

  #findComponents(): Set<number>[] {
    const { destinations, segments, loopbackOf } = this.#graph;
    const components = destinations.map(() => new Set<number>());
    for (const { destination, members } of segments)
      for (const { node } of members) components[destination]?.add(this.#componentOf[node] ?? unreachable);
    for (const [node, loopback] of loopbackOf.entries())
      for (const component of this.#componentsAround(node)) components[loopback]?.add(component);
    return components;
  }

  /** The component of a router, or for a host the components of the routers next to it. */
  #componentsAround(node: number): number[] {
    if (this.#graph.isRouter[node] === true) return [this.#componentOf[node] ?? unreachable];
    return this.#membersAround(node).map((member) => this.#componentOf[member.node] ?? unreachable);
  }

  of(node: number): readonly Route[] {
    const ends = this.#membersAround(node).filter((member) => member.node === node);
    const own = new Set(ends.map(({ address }) => address));
    const routes = this.#graph.isRouter[node] === true ? this.#routerRoutes(node) : this.#hostRoutes(node);
    // Routes to neighbours first: the kernel refuses an IPv6 next hop if a route to it uses another interface. And
    // never two routes to the same prefix, which the kernel also refuses.
    const near = this.#neighbourRoutes(node);
    const isNear = new Set(near.map(({ to }) => to));
    const all = [...near, ...routes.filter(({ to }) => !isNear.has(to))];
    // Two nodes may have the same address on different links: the kernel refuses a next hop that is the node itself.
    return all.filter(({ via }) => via === null || !own.has(via));
  }

  #routerRoutes(node: number): readonly Route[] {
    const { hops, via } = this.#paths.from(node);
    const entries = this.#tree.routes(hops, unreachable);
    const routes = entries.map(({ to, hop }) => ({ to, ...(via[hop] ?? noHop) }));
    const own = this.#connectedTo(node).flatMap((index) => this.#graph.destinations[index] ?? []);
    const spare = coveredOnes([...entries.map(({ prefix }) => prefix), ...own], new Set(own));
    return [...routes, ...spare.map((prefix) => ({ to: formatPrefix(prefix), via: null }))];
  }

  /** The first router on each of the host's segments, with the component of that router. */
  #gateways(node: number): { readonly hop: NextHop; readonly component: number }[] {
    return this.#segmentsOf(node).flatMap((segment) => {
      const router = segment.members.find((member) => this.#graph.isRouter[member.node]);
      if (router === undefined) return [];
      const component = this.#componentOf[router.node] ?? unreachable;
      return [{ hop: nextHop(segment, node, router.address), component }];
    });
  }

  /** All packets go through the first gateway, except to destinations that only another gateway reaches. */
  #hostRoutes(node: number): readonly Route[] {
    const gateways = this.#gateways(node);
    const [first] = gateways;
    if (first === undefined) return [];
    const own = new Set([...this.#connectedTo(node), this.#graph.loopbackOf[node] ?? unreachable]);
    const isOwn = new Set([...own].map((index) => this.#textOf(index)));
    const routes = this.#coverage.filter((to) => !isOwn.has(to)).map((to) => ({ to, ...first.hop }));
    if (gateways.every(({ component }) => component === first.component)) return routes;
    const hops = Int32Array.from(this.#componentsOfDestination, (components, destination) => {
      if (own.has(destination)) return connected;
      return gateways.findIndex(({ component }) => components.has(component));
    });
    const further = this.#tree
      .routes(hops, 0)
      .map(({ to, hop }) => ({ to, ...(gateways[hop]?.hop ?? noHop) }));
    // Never two routes to the same prefix: the kernel refuses the second.
    const isFurther = new Set(further.map(({ to }) => to));
    return [...routes.filter(({ to }) => !isFurther.has(to)), ...further];
  }

  /** Routes to the neighbours on unnumbered links, which are in no network. */
  #neighbourRoutes(node: number): Route[] {
    const length = widthOf(this.#graph.family);
    const routes = new Map<string, Route>();
    for (const segment of this.#segmentsOf(node)) {
      if (segment.destination >= 0) continue;
      for (const { address } of segment.members.filter((member) => member.node !== node)) {
        const to = `${address}/${length}`;
        if (!routes.has(to)) routes.set(to, { to, ...nextHop(segment, node, address) });
      }
    }
    return [...routes.values()];
  }

  #textOf(destination: number): string {
    const prefix = this.#graph.destinations[destination];
    return prefix === undefined ? '' : formatPrefix(prefix);
  }

  #connectedTo(node: number): readonly number[] {
    return this.#segmentsOf(node).map(({ destination }) => destination);
  }

  #segmentsOf(node: number): readonly Segment[] {
    const { segments, segmentsOf } = this.#graph;
    return (segmentsOf[node] ?? []).flatMap((index) => segments[index] ?? []);
  }

  /** All ends of the links of a node, including its own ends. */
  #membersAround(node: number): readonly Member[] {
    return this.#segmentsOf(node).flatMap(({ members }) => members);
  }
}

/**
 * The prefixes that another route covers. The node has routes to all of them except `own`, which are connected. Each
 * gets an `unreachable` route of the lowest preference. When a link goes down, the kernel drops the routes over that
 * link; without the `unreachable` route, the covering route would send packets to a neighbour, which sends them back.
 */
function coveredOnes(prefixes: readonly Prefix[], own: ReadonlySet<Prefix>): Prefix[] {
  let outermost: Prefix | undefined;
  return prefixes.toSorted(comparePrefixes).filter((prefix) => {
    if (outermost !== undefined && covers(outermost, prefix)) return true;
    if (!own.has(prefix)) outermost = prefix;
    return false;
  });
}

/** The pools, and the destinations outside the pools; two adjacent destinations are joined into a larger prefix. */
function coverageOf({ destinations, family }: Graph, pools: readonly Prefix[]): string[] {
  const own = pools.filter((pool) => pool.family === family);
  const outside = destinations.filter((destination) => !own.some((pool) => covers(pool, destination)));
  const joined = new PrefixTree(outside).routes(new Int32Array(outside.length), unreachable);
  return [...new Set([...own.map(formatPrefix), ...joined.map(({ to }) => to)])];
}

/**
 * The nodes with their routes: every address reaches every other address that routers connect it to; hosts do not
 * forward. Hosts send packets to `pools`, and to used prefixes outside them, through the first router on their first
 * link that has a router. Routers have shortest-path routes to all used networks, and to nothing else.
 */
export function withRoutes(
  nodes: readonly LabNode[],
  links: readonly LabLink[],
  pools: readonly Prefix[],
): LabNode[] {
  const graphs = families.map((family) => graphOf(nodes, links, family));
  const used = graphs.filter(({ destinations }) => destinations.length > 0);
  const tables = used.map((graph) => new FamilyRoutes(graph, pools));
  return nodes.map((node, index) => ({ ...node, routes: tables.flatMap((table) => table.of(index)) }));
}
