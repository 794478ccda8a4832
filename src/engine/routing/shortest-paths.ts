/** Computes the shortest paths from a router. */
import { nextHop, type Graph, type NextHop } from './graph.ts';
import { connected, unreachable } from './prefix-tree.ts';

/** The next hops of one router, `via`; `hops` has an index into `via` for each destination. */
interface Table {
  readonly hops: Int32Array;
  readonly via: readonly NextHop[];
}

/**
 * Finds the next hops of one router by breadth-first search over routers and segments. Of several shortest paths, it
 * takes the one through the earlier interface, then the one through the earlier end of the link. Packets never loop:
 * each router on a shortest path is one step nearer to the destination.
 */
export class ShortestPaths {
  readonly #graph: Graph;
  // Every search reuses these arrays. New arrays for each of a thousand routers would cost more time in the garbage
  // collector than the search itself.
  /** For each node, the next hop towards it; `unreachable` until the search finds the node. */
  readonly #hopTo: Int32Array;
  readonly #hops: Int32Array;
  readonly #isSeen: Uint8Array;
  #via: NextHop[] = [];

  constructor(graph: Graph) {
    this.#graph = graph;
    this.#hopTo = new Int32Array(graph.isRouter.length);
    this.#hops = new Int32Array(graph.destinations.length);
    this.#isSeen = new Uint8Array(graph.segments.length);
  }

  /** The next hops of router `start`. The result is valid only until the next call. */
  from(start: number): Table {
    const { segmentsOf, loopbackOf } = this.#graph;
    this.#hopTo.fill(unreachable);
    this.#hops.fill(unreachable);
    this.#isSeen.fill(0);
    this.#via = [];
    this.#hopTo[start] = connected;
    this.#reach(loopbackOf[start] ?? unreachable, connected);
    const queue = [start];
    for (let next = 0; next < queue.length; next += 1) {
      const node = queue[next] ?? 0;
      for (const segment of segmentsOf[node] ?? []) {
        if (this.#isSeen[segment] === 1) continue;
        this.#isSeen[segment] = 1;
        this.#cross(segment, node, queue);
      }
    }
    return { hops: this.#hops, via: this.#via };
  }

  /** Extends the search from a node over a segment, to the routers that are not found yet. */
  #cross(index: number, from: number, queue: number[]): void {
    const segment = this.#graph.segments[index];
    if (segment === undefined) return;
    const hop = this.#hopTo[from] ?? unreachable;
    this.#reach(segment.destination, hop);
    for (const { node, address } of segment.members) {
      if (this.#hopTo[node] !== unreachable) continue;
      const isRouter = this.#graph.isRouter[node] === true;
      const loopback = this.#graph.loopbackOf[node] ?? unreachable;
      if (!isRouter && loopback < 0) continue;
      const way = hop === connected ? this.#via.push(nextHop(segment, from, address)) - 1 : hop;
      this.#reach(loopback, way);
      if (!isRouter) continue;
      this.#hopTo[node] = way;
      queue.push(node);
    }
  }

  /**
   * Records the way to a destination unless one is recorded: in a breadth-first search, the first way is a shortest.
   * For a segment that leads to no destination (-1), the array has no element, and nothing is recorded.
   */
  #reach(destination: number, hop: number): void {
    if (this.#hops[destination] === unreachable) this.#hops[destination] = hop;
  }
}
