/** A worker that computes layouts with the code of the service, so that both draw the same picture. */
import ElkApi, { type ELK, type ELKConstructorArguments } from 'elkjs/lib/elk-api.js';
import elkWorkerUrl from 'elkjs/lib/elk-worker.min.js?url';
import { arrange } from '../../../../../../src/labs/picture/arrange.ts';
import type { Graph, Positions } from '../../../../../../src/labs/picture/picture.ts';
import { place, type Arranged, type PlacedGraph } from '../../../../../../src/labs/picture/place.ts';

export interface LayoutTask {
  /** Returned with the answer. */
  readonly nr: number;
  readonly graph: Graph;
  readonly given: Positions;
}

export type LayoutAnswer =
  | { readonly kind: 'placed'; readonly nr: number; readonly placed: PlacedGraph }
  | { readonly kind: 'failed'; readonly nr: number; readonly message: string };

// The type declaration says that the class is the module; the bundler puts it into `default`.
const Elk = ElkApi as unknown as new (options: ELKConstructorArguments) => ELK;
// ELK needs a worker of its own below this one.
const elk = new Elk({ workerUrl: elkWorkerUrl });

/** ELK runs once per graph: it takes seconds, and moved boxes do not change its result. */
let known: { readonly text: string; readonly arranged: Promise<Arranged> } | undefined;

async function placed({ graph, given }: LayoutTask): Promise<PlacedGraph> {
  const text = JSON.stringify(graph);
  if (known?.text !== text) known = { text, arranged: arrange(elk, graph) };
  return place(graph, await known.arranged, given);
}

self.addEventListener('message', ({ data }: MessageEvent<LayoutTask>) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker, not a window
  const answer = (sent: LayoutAnswer): void => self.postMessage(sent);
  const { nr } = data;
  placed(data).then(
    (found) => answer({ kind: 'placed', nr, placed: found }),
    (error: unknown) => answer({ kind: 'failed', nr, message: String(error) }),
  );
});
