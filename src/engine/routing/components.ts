/** The connected components of the graph: they show which routers can reach each other. */
import type { Graph } from './graph.ts';

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
export function componentsOf(graph: Graph): Int32Array {
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
