/** A thread of the browser that lays pictures out with the same code as the service, so that both draw the same one. */
import ElkApi, { type ELK, type ELKConstructorArguments } from 'elkjs/lib/elk-api.js';
import elkWorkerUrl from 'elkjs/lib/elk-worker.min.js?url';
import { arrange } from '../../../../../../src/labs/picture/arrange.ts';
import type { Graph, Positions } from '../../../../../../src/labs/picture/picture.ts';
import { place, type Arranged, type PlacedGraph } from '../../../../../../src/labs/picture/place.ts';

export interface LayoutTask {
  /** Comes back with the answer. */
  readonly nr: number;
  readonly graph: Graph;
  readonly given: Positions;
}

export type LayoutAnswer =
  | { readonly kind: 'placed'; readonly nr: number; readonly placed: PlacedGraph }
  | { readonly kind: 'failed'; readonly nr: number; readonly message: string };

// The declaration of the package says that its class is the module; a bundler gives the class in `default`.
const Elk = ElkApi as unknown as new (options: ELKConstructorArguments) => ELK;
// ELK runs in a thread below this one: it is made to be alone in one.
const elk = new Elk({ workerUrl: elkWorkerUrl });

/** ELK is asked once per graph: that takes seconds, and what somebody moved changes nothing of it. */
let known: { readonly text: string; readonly arranged: Promise<Arranged> } | undefined;

async function placed({ graph, given }: LayoutTask): Promise<PlacedGraph> {
  const text = JSON.stringify(graph);
  if (known?.text !== text) known = { text, arranged: arrange(elk, graph) };
  return place(graph, await known.arranged, given);
}

self.addEventListener('message', ({ data }: MessageEvent<LayoutTask>) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, no window
  const answer = (sent: LayoutAnswer): void => self.postMessage(sent);
  const { nr } = data;
  placed(data).then(
    (found) => answer({ kind: 'placed', nr, placed: found }),
    (error: unknown) => answer({ kind: 'failed', nr, message: String(error) }),
  );
});
