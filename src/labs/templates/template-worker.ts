/** The thread that reads templates: thousands of files, or a large one, would keep the event loop of the service for seconds. */
import { parentPort } from 'node:worker_threads';
import { isSame, readTemplate, type KnownName, type Reading } from './template-file.ts';
import { entriesOf, type Entry } from './template-tree.ts';

/** Reads directories, or files, below `directory`. */
export type TemplateTask =
  | { readonly directory: string; readonly below: readonly string[] }
  | { readonly directory: string; readonly names: readonly KnownName[] };

/** One result for each of the first directories or files of the task, at least one. */
export type TemplateAnswer = readonly (readonly Entry[])[] | readonly Reading[];

/** The event loop of the service decodes an answer in one go, so an answer is bounded. */
const [maxEntries, maxBytes] = [1_000, 1024 * 1024];

function convertUntil<In, Out>(
  items: readonly In[],
  most: number,
  convert: (item: In) => Out,
  sizeOf: (out: Out) => number,
): Out[] {
  const done: Out[] = [];
  let size = 0;
  for (const item of items) {
    const out = convert(item);
    done.push(out);
    size += sizeOf(out);
    if (size >= most) break;
  }
  return done;
}

const sizeOf = (reading: Reading): number => (reading === 'same' ? 0 : (reading.facts?.size ?? 0));

export function templateAnswer(task: TemplateTask): TemplateAnswer {
  const { directory } = task;
  if ('below' in task) {
    const entries = (below: string): readonly Entry[] => entriesOf(directory, below);
    return convertUntil(task.below, maxEntries, entries, ({ length }) => length);
  }
  const read = (name: KnownName): Reading =>
    isSame(directory, name) ? 'same' : readTemplate(directory, name);
  return convertUntil(task.names, maxBytes, read, sizeOf);
}

parentPort?.on('message', (task: TemplateTask) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread of Node, no window of a browser
  parentPort?.postMessage(templateAnswer(task));
});
