import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { AppError } from '../lib/app-error.ts';
import { LruCache } from '../lib/lru-cache.ts';
import { mapBounded } from '../lib/map-bounded.ts';
import { openInside } from '../lib/open-inside.ts';
import { hasProcFs } from '../lib/processes.ts';
import type { TopologyFiles } from './drivers/lab-driver.ts';
import { parsedYaml } from './topologies/parsed-yaml.ts';
import type { YamlThread } from './topologies/yaml-thread.ts';
import {
  readTemplate,
  stampOf,
  type Reader,
  type ReadTemplate,
  type TemplateContent,
  type TemplateName,
} from './template-file.ts';

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
interface Seen extends ReadTemplate {
  readonly summarize: TopologyFiles['summarize'];
}

const maxFiles = 5_000;
/** Directories without a single topology cost time too; a tree of this many is not a directory of templates. */
const maxDirectories = 20_000;
const concurrency = 16;
/** More than these, and longer texts (characters), are read in a thread. */
const [fewFiles, shortText] = [100, 16 * 1024];
/** Of two directories with as many files as are told. */
const seenMax = 2 * maxFiles;
const tickMs = 50;

/** What is in `directory` or below it; nothing of a directory that cannot be read, or that a link has taken the place of. */
async function entriesOf(directory: string, below: string): Promise<Dirent[]> {
  const handle = await openInside(directory, below).catch(() => undefined);
  if (handle === undefined) return [];
  const place = hasProcFs ? `/proc/self/fd/${handle.fd}` : path.join(directory, below);
  const entries = await readdir(place, { withFileTypes: true }).catch(() => []);
  await handle.close().catch(() => undefined);
  return entries;
}

/** What tools keep for themselves (`.git`, `.venv`) and other people's packages are no templates. */
function mayHaveTemplates(entry: Dirent): boolean {
  return entry.isDirectory() && entry.name !== 'node_modules' && !entry.name.startsWith('.');
}

/** In breadth-first order, so that the limit cuts the deepest. Symbolic links are not descended into. */
async function findFiles(
  directory: string,
  recursive: boolean,
  isName: TopologyFiles['isName'],
): Promise<TemplateName[]> {
  const files: TemplateName[] = [];
  let level = [''];
  let seen = 0;
  while (level.length > 0 && files.length < maxFiles) {
    const now = level.slice(0, Math.max(0, maxDirectories - seen));
    seen += now.length;
    // A directory below that cannot be read hides its files; those that can be read are still listed.
    const found = await mapBounded(now, concurrency, async (below) => {
      const entries = await entriesOf(directory, below);
      return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map((entry) => ({ below, entry }));
    });
    level = [];
    for (const { below, entry } of found.flat()) {
      const relative = path.join(below, entry.name);
      const isLink = entry.isSymbolicLink();
      if (isName(entry.name) && (isLink || entry.isFile())) files.push({ relative, isLink });
      else if (recursive && mayHaveTemplates(entry)) level.push(relative);
    }
  }
  return files.slice(0, maxFiles);
}

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
  readonly #yaml: Pick<YamlThread, 'parse'>;

  constructor(yaml: Pick<YamlThread, 'parse'>) {
    this.#yaml = yaml;
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
    const files = (await findFiles(directory, recursive, machine.files.isName)).toSorted((a, b) =>
      a.relative < b.relative ? -1 : 1,
    );
    const parse = files.length > fewFiles ? async (text: string) => this.#yaml.parse(text) : this.#parse;
    const reader = { parse, summarize: machine.files.summarize };
    return mapBounded(files, concurrency, async (file) =>
      this.#describe(directory, file, { ...machine, reader }),
    );
  }

  /** A thread takes longer to start than a few small files take to read. */
  readonly #parse = async (text: string): Promise<unknown> =>
    text.length > shortText ? this.#yaml.parse(text) : parsedYaml(text);

  async #describe(
    directory: string,
    file: TemplateName,
    machine: Machine & { readonly reader: Reader },
  ): Promise<Template> {
    const { relative } = file;
    const { files, hasProgram, without, reader } = machine;
    const { content, facts } = await this.#look(directory, file, reader);
    const { unsupported, ...shown } = content;
    const missing = content.valid ? files.missing(content, hasProgram) : [];
    const reasons = [content.error ?? undefined, without, ...unsupported, ...missing];
    const obstacles = reasons.filter((reason) => reason !== undefined);
    return {
      name: relative,
      path: relative,
      topologyPath: path.join(directory, relative),
      ...shown,
      ...(facts ?? { size: null, modifiedAt: null }),
      runnable: obstacles.length === 0,
      obstacles,
    };
  }

  async #look(directory: string, name: TemplateName, reader: Reader): Promise<ReadTemplate> {
    const file = path.join(directory, name.relative);
    const known = this.#seen.get(file);
    if (known?.summarize === reader.summarize && known.stamp === (await stampOf(file))) return known;
    const { summarize } = reader;
    const now = await readTemplate(directory, name, reader);
    if (!name.isLink && now.stamp !== undefined && isSettled(now))
      this.#seen.set(file, { summarize, ...now });
    return now;
  }
}

/** Within a tick of the clock of the file system, a file may change and keep its time. */
function isSettled({ facts }: ReadTemplate): boolean {
  return facts !== undefined && Date.now() - Date.parse(facts.modifiedAt) > tickMs;
}
