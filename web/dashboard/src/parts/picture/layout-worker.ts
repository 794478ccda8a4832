/** A worker that computes layouts with the code of the service, so that both draw the same picture. */
import ElkApi, { type ELK, type ELKConstructorArguments } from 'elkjs/lib/elk-api.js';
import elkWorkerUrl from 'elkjs/lib/elk-worker.min.js?url';
import { arrange } from '../../../../../src/labs/picture/arrange.ts';
import type { Graph, Positions } from '../../../../../src/labs/picture/picture.ts';
import { place, type Arranged, type PlacedGraph } from '../../../../../src/labs/picture/place.ts';
import { keptFrom, layoutAfter, noLayout, type KeptLayout } from './kept-layout.ts';

export interface LayoutTask {
  /** Returned with the answer. */
  readonly nr: number;
  readonly graph: Graph;
  readonly given: Positions;
  /** Of a drawing that is edited: boxes stay where they are, or all get a new place. Undefined for other pictures. */
  readonly edits?: 'keep' | 'arrange';
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

async function arrangedFor(graph: Graph): Promise<Arranged> {
  const text = JSON.stringify(graph);
  if (known?.text !== text) known = { text, arranged: arrange(elk, graph) };
  return known.arranged;
}

/** The last layout of a drawing. */
let kept: Promise<KeptLayout | undefined> = Promise.resolve(undefined);

async function layoutOf(
  before: KeptLayout | undefined,
  { graph, given, edits }: LayoutTask,
): Promise<KeptLayout> {
  // A file with all positions needs no arrangement.
  const isComplete = edits === 'keep' && graph.boxes.every(({ id }) => given[id] !== undefined);
  const last = before ?? (isComplete ? noLayout : undefined);
  const next = last && layoutAfter(last, graph, given);
  return next ?? keptFrom(graph, await arrangedFor(graph), given);
}

async function placed(task: LayoutTask): Promise<PlacedGraph> {
  const { graph, edits } = task;
  if (edits === undefined) return place(graph, await arrangedFor(graph), task.given);
  const before = edits === 'keep' ? kept.catch(() => undefined) : Promise.resolve(undefined);
  const given = edits === 'keep' ? task.given : {};
  const after = before.then(async (last) => layoutOf(last, { ...task, given }));
  kept = after;
  return place(graph, (await after).arranged, given);
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
