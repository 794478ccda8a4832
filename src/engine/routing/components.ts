/** The connected components of the graph: which routers can reach each other at all. */
import type { Graph } from './graph.ts';

/** The component of a host: none, as hosts do not forward. */
const noComponent = -1;

/** The routers on the segments of `node` that are not seen yet; marks those segments as seen. */
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

/** Per node the number of its component: two routers have the same when there is a way over routers between them. */
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
