import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { AppError } from '../../lib/app-error.ts';
import { LruCache } from '../../lib/cache/lru-cache.ts';
import { mapPortions } from '../../lib/async/map-portions.ts';
import type { TopologyFiles } from '../drivers/lab-driver.ts';
import { contentOf, type TemplateContent } from './template-content.ts';
import type { KnownName, Reading, ReadTemplate, TemplateName } from './template-file.ts';
import { loopReader, type TemplateReader } from './template-reader.ts';
import { findFiles, maxFiles } from './template-tree.ts';

/** A topology file found in a directory. `name` and `path` are what netlab api calls them: relative to the directory. */
export interface Template extends Omit<TemplateContent, 'unsupported'> {
  readonly name: string;
  readonly path: string;
  /** Absolute; ready for `POST /jobs`. */
  readonly topologyPath: string;
  /** Bytes; null when the file cannot be looked at. */
  readonly size: number | null;
  readonly modifiedAt: string | null;
  /** Whether nothing is known that keeps this server from running it. */
  readonly runnable: boolean;
  /** What keeps it, as sentences. */
  readonly obstacles: readonly string[];
}

type Files = Pick<TopologyFiles, 'isName' | 'summarize' | 'missing'>;

/** A file that was read: the same stamp stands for the same content. */
interface Seen extends Omit<ReadTemplate, 'held'> {
  readonly content: TemplateContent;
  readonly summarize: TopologyFiles['summarize'];
}

/** More than these, files or directories of a level, are read in a thread. */
const few = 100;
/** Of two directories with as many files as are told. */
const seenMax = 2 * maxFiles;
const tickMs = 50;

/** What decides whether a topology can be run. */
interface Machine {
  readonly files: Files;
  /** Whether a program is on the PATH of the lab CLI. */
  readonly hasProgram: (name: string) => boolean;
  /** Why nothing can be run; undefined when something can. */
  readonly without: string | undefined;
}

/** Lists topology files. What was read of one is kept as long as its time, its size and its place on the disk stay the same. */
export class Templates {
  readonly #seen = new LruCache<Seen>(seenMax);
  readonly #thread: TemplateReader;
  readonly #loop: TemplateReader;

  constructor(thread: TemplateReader) {
    this.#thread = thread;
    this.#loop = loopReader(thread);
  }

  /**
   * The files of `directory` (a real path) that may be topologies (netlab: `*.yml` and `*.yaml`), sorted by name; with `recursive` those below it as well (but
   * for `node_modules` and hidden directories), at most 5,000. A file that is no topology is listed with `valid: false` and why. Throws `directory-not-found`.
   */
  async list(directory: string, recursive: boolean, machine: Machine): Promise<Template[]> {
    // A link may have taken its place since it was checked.
    const isReal = (await realpath(directory).catch(() => undefined)) === directory;
    const found = isReal ? await stat(directory).catch(() => undefined) : undefined;
    if (!found?.isDirectory())
      throw new AppError('directory-not-found', `dir: there is no directory ${directory}`);
    const { isName, summarize } = machine.files;
    const files = (await findFiles(directory, { recursive, isName, readerOf: this.#readerOf })).toSorted(
      (a, b) => (a.relative < b.relative ? -1 : 1),
    );
    const reader = this.#readerOf(files.length);
    return mapPortions(files, reader.portions, async (some) => {
      const known = some.map(({ relative }) => this.#known(path.join(directory, relative), summarize));
      const names = some.map((name, index): KnownName => ({ ...name, stamp: known[index]?.stamp }));
      const read = await reader.read(directory, names);
      return some.slice(0, read.length).map((name, index) => {
        const now = read[index] as Reading;
        const seen = now === 'same' ? (known[index] as Seen) : this.#see(directory, name, now, summarize);
        return describe(directory, name, seen, machine);
      });
    });
  }

  readonly #readerOf = (count: number): TemplateReader => (count > few ? this.#thread : this.#loop);

  #known(file: string, summarize: Seen['summarize']): Seen | undefined {
    const known = this.#seen.get(file);
    return known?.summarize === summarize ? known : undefined;
  }

  #see(
    directory: string,
    { relative, isLink }: TemplateName,
    read: ReadTemplate,
    summarize: Seen['summarize'],
  ): Seen {
    const { held, ...numbers } = read;
    const seen = { content: contentOf(held, summarize), summarize, ...numbers };
    if (!isLink && read.stamp !== undefined && isSettled(read))
      this.#seen.set(path.join(directory, relative), seen);
    return seen;
  }
}

function describe(directory: string, { relative }: TemplateName, seen: Seen, machine: Machine): Template {
  const { files, hasProgram, without } = machine;
  const { unsupported, ...shown } = seen.content;
  const missing = seen.content.valid ? files.missing(seen.content, hasProgram) : [];
  const reasons = [seen.content.error ?? undefined, without, ...unsupported, ...missing];
  const obstacles = reasons.filter((reason) => reason !== undefined);
  return {
    name: relative,
    path: relative,
    topologyPath: path.join(directory, relative),
    ...shown,
    ...(seen.facts ?? { size: null, modifiedAt: null }),
    runnable: obstacles.length === 0,
    obstacles,
  };
}

/** Within a tick of the clock of the file system, a file may change and keep its time. */
function isSettled({ facts }: ReadTemplate): boolean {
  return facts !== undefined && Date.now() - Date.parse(facts.modifiedAt) > tickMs;
}
