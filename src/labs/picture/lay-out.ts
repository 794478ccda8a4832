/** Where everything of a picture is. It takes seconds of the processor: it runs in a thread of its own (`layout-worker.ts`). */
import ElkConstructor, { type ELK } from 'elkjs/lib/elk.bundled.js';
import { arrange } from './arrange.ts';
import type { Graph, Placed, Positions } from './picture.ts';
import { framed, place } from './place.ts';

// The module is CommonJS, and its class stands in `default` where a bundler or Node wraps it.
const Elk = ElkConstructor as unknown as { new (): ELK; default?: new () => ELK };
const elk = new (Elk.default ?? Elk)();

/** Lays a graph out; what is in `given` is where that says. */
export async function layOut(graph: Graph, given: Positions): Promise<Placed> {
  const isAllGiven = graph.boxes.every(({ id }) => given[id] !== undefined);
  const arranged = isAllGiven ? { boxes: [], paths: [] } : await arrange(elk, graph);
  return framed(place(graph, arranged, given));
}
