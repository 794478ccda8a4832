import { pathToFileURL } from 'node:url';
import { packageFile } from '../../lib/files/package-root.ts';
import { Thread } from '../../lib/async/thread.ts';
import type { KnownName, Reading } from './template-file.ts';
import type { Entry } from './template-tree.ts';
import type { TemplateAnswer, TemplateTask } from './template-worker.ts';

const longestMs = 10_000;
const mostMemoryMb = 512;
/** Each message costs as much as a small file, so a message has many. */
const itemsPerTask = 64;
/** The built file, also for tests, which run the sources. */
const program = pathToFileURL(packageFile('dist', 'labs', 'templates', 'template-worker.js'));

/** Reads directories and topology files in a thread of its own. */
export class TemplateThread {
  readonly #thread: Thread<TemplateTask, TemplateAnswer>;

  constructor(shutdown: AbortSignal) {
    this.#thread = new Thread({ program, shutdown, timeoutMs: longestMs, memoryMb: mostMemoryMb });
  }

  /** The names in each of the directories `below`, in their order. Never throws. */
  entries(directory: string, below: readonly string[]): AsyncIterable<readonly Entry[]> {
    const ask = async (some: readonly string[]) =>
      (await this.#thread.ask({ directory, below: some })) as readonly (readonly Entry[])[];
    return answers(below, ask, () => []);
  }

  /** Each of the files, in their order. Never throws. */
  read(directory: string, names: readonly KnownName[]): AsyncIterable<Reading> {
    const ask = async (some: readonly KnownName[]) =>
      (await this.#thread.ask({ directory, names: some })) as readonly Reading[];
    return answers(names, ask, ({ message }) => ({
      held: { problem: `The file cannot be read: ${message}` },
      facts: undefined,
    }));
  }
}

/** The answers for all items. `ask` may answer for the first of its items only. */
async function* answers<In, Out>(
  items: readonly In[],
  ask: (some: readonly In[]) => Promise<readonly Out[]>,
  lost: (failure: Error) => Out,
): AsyncGenerator<Out> {
  for (let at = 0; at < items.length;) {
    const some = items.slice(at, at + itemsPerTask);
    const found = await ask(some).catch(async () => oneByOne(some, ask, lost));
    yield* found;
    at += found.length;
  }
}

/** Asks for each item alone: an item that takes too long or too much memory does not take the others with it. */
async function oneByOne<In, Out>(
  items: readonly In[],
  ask: (some: readonly In[]) => Promise<readonly Out[]>,
  lost: (failure: Error) => Out,
): Promise<readonly Out[]> {
  const found: Out[] = [];
  for (const item of items)
    found.push(...(await ask([item]).catch((failure: unknown) => [lost(failure as Error)])));
  return found;
}
