/** What the thread that reads templates does for each of its tasks. */
import { threadDisk } from '../../lib/files/disk.ts';
import { parsedYaml } from './parsed-yaml.ts';
import { isSame, readTemplate, type KnownName, type Reading } from './template-file.ts';
import { entriesOf, type Entry } from './template-tree.ts';

export type TemplateTask =
  | { readonly directory: string; readonly below: readonly string[] }
  | { readonly directory: string; readonly names: readonly KnownName[] };

/** For the first directories, or the first files, of the task. */
export type TemplateAnswer = readonly (readonly Entry[])[] | readonly Reading[];

/** An answer is taken apart in the event loop of the service, which has more to do. */
const [maxEntries, maxBytes] = [1_000, 1024 * 1024];
const means = { disk: threadDisk, parse: parsedYaml };

/** Until `most` is reached. */
async function some<In, Out>(
  items: readonly In[],
  most: number,
  convert: (item: In) => Promise<Out>,
  sizeOf: (out: Out) => number,
): Promise<Out[]> {
  const done: Out[] = [];
  let size = 0;
  for (const item of items) {
    const out = await convert(item);
    done.push(out);
    size += sizeOf(out);
    if (size >= most) break;
  }
  return done;
}

export async function templateAnswer(task: TemplateTask): Promise<TemplateAnswer> {
  const { directory } = task;
  if ('below' in task)
    return some(
      task.below,
      maxEntries,
      async (one) => entriesOf(directory, one, threadDisk),
      ({ length }) => length,
    );
  return some(
    task.names,
    maxBytes,
    async (name) =>
      (await isSame(directory, name, threadDisk)) ? 'same' : readTemplate(directory, name, means),
    (found) => (found === 'same' ? 0 : (found.facts?.size ?? 0)),
  );
}
