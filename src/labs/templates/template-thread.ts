import { pathToFileURL } from 'node:url';
import { loopDisk } from '../../lib/files/disk.ts';
import { packageFile } from '../../lib/files/package-root.ts';
import { Thread } from '../../lib/async/thread.ts';
import { readTemplate, type KnownName, type Reading } from './template-file.ts';
import type { TemplateReader } from './template-reader.ts';
import type { Entry } from './template-tree.ts';
import type { TemplateAnswer, TemplateTask } from './template-answer.ts';

const longestMs = 10_000;
const mostMemoryMb = 512;
/** The built file, also for tests, which run the sources. */
const program = pathToFileURL(packageFile('dist', 'labs', 'templates', 'template-worker.js'));

/** Reads in a thread, without the detours that keep an event loop free: many in a message, because each message costs as much as a small file. */
export class TemplateThread implements TemplateReader {
  /** While one answer is taken apart here, the next is made there. */
  readonly portions = { size: 64, atOnce: 2 };
  readonly #thread: Thread<TemplateTask, TemplateAnswer>;

  constructor(shutdown: AbortSignal) {
    this.#thread = new Thread({ program, shutdown, timeoutMs: longestMs, memoryMb: mostMemoryMb });
  }

  async entries(directory: string, below: readonly string[]): Promise<readonly (readonly Entry[])[]> {
    const ask = async (some: readonly string[]) =>
      (await this.#thread.ask({ directory, below: some })) as readonly (readonly Entry[])[];
    return oneByOneIfLost(below, ask, () => []);
  }

  async read(directory: string, names: readonly KnownName[]): Promise<readonly Reading[]> {
    const ask = async (some: readonly KnownName[]) =>
      (await this.#thread.ask({ directory, names: some })) as readonly Reading[];
    // What it is, and why it has no content, can still be told.
    return oneByOneIfLost(names, ask, async (name, failure) =>
      readTemplate(directory, name, { disk: loopDisk, parse: async () => Promise.reject(failure) }),
    );
  }
}

/** One that takes too long or too much memory takes none of the others with it: they are asked for once more, each by itself. */
async function oneByOneIfLost<In, Out>(
  items: readonly In[],
  ask: (some: readonly In[]) => Promise<readonly Out[]>,
  lost: (item: In, failure: Error) => Out | Promise<Out>,
): Promise<readonly Out[]> {
  const answers = await ask(items).catch((error: unknown) => error as Error);
  if (!(answers instanceof Error)) return answers;
  const found: Out[] = [];
  for (const item of items) {
    const own = items.length === 1 ? answers : await ask([item]).catch((error: unknown) => error as Error);
    found.push(...(own instanceof Error ? [await lost(item, own)] : own));
  }
  return found;
}
