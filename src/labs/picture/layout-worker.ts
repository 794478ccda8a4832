/** A thread that lays graphs out, one after the other: elkjs would keep the event loop of the service for seconds. */
import { parentPort } from 'node:worker_threads';
import { layOut } from './lay-out.ts';
import type { Graph, Placed, Positions } from './picture.ts';

export interface LayoutTask {
  readonly graph: Graph;
  readonly given: Positions;
}

/** The answer of the thread. A task that it cannot do must not end the thread. */
export type LayoutAnswer =
  | { readonly kind: 'placed'; readonly placed: Placed }
  | { readonly kind: 'failed'; readonly message: string };

parentPort?.on('message', ({ graph, given }: LayoutTask) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread of Node, no window of a browser
  const answer = (sent: LayoutAnswer): void => parentPort?.postMessage(sent);
  layOut(graph, given).then(
    (placed) => answer({ kind: 'placed', placed }),
    (error: unknown) => answer({ kind: 'failed', message: String(error) }),
  );
});
