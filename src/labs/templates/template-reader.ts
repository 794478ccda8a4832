import { stat } from 'node:fs/promises';
import path from 'node:path';
import { loopDisk } from '../../lib/files/disk.ts';
import type { Portions } from '../../lib/async/map-portions.ts';
import { parsedYaml } from './parsed-yaml.ts';
import { isSame, readTemplate, type KnownName, type Reading } from './template-file.ts';
import { entriesOf, type Entry } from './template-tree.ts';

/** Reads directories and files below `directory`. It answers for as many of the first ones as it likes, at least one. Never rejects. */
export interface TemplateReader {
  readonly portions: Portions;
  readonly entries: (directory: string, below: readonly string[]) => Promise<readonly (readonly Entry[])[]>;
  readonly read: (directory: string, names: readonly KnownName[]) => Promise<readonly Reading[]>;
}

/** Bytes: a parser takes some ms for as many. */
const longest = 16 * 1024;

async function isLong(file: string): Promise<boolean> {
  const found = await stat(file).catch(() => undefined);
  return found !== undefined && found.size > longest;
}

/** In the event loop, one by one: a thread takes longer to start than a few small files take to read. Long ones are for `thread`. */
export function loopReader(thread: TemplateReader): TemplateReader {
  const means = { disk: loopDisk, parse: parsedYaml };
  const read = async (directory: string, name: KnownName): Promise<readonly Reading[]> => {
    if (await isSame(directory, name, loopDisk)) return ['same'];
    if (await isLong(path.join(directory, name.relative))) return thread.read(directory, [name]);
    return [await readTemplate(directory, name, means)];
  };
  return {
    portions: { size: 1, atOnce: 16 },
    entries: async (directory, below) =>
      Promise.all(below.map(async (one) => entriesOf(directory, one, loopDisk))),
    read: async (directory, names) =>
      (await Promise.all(names.map(async (name) => read(directory, name)))).flat(),
  };
}
