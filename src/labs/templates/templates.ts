import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { AppError } from '../../lib/app-error.ts';
import { LruCache } from '../../lib/cache/lru-cache.ts';
import { isMapping } from '../../lib/mapping.ts';
import type { TopologyFiles, TopologySummary } from '../drivers/lab-driver.ts';
import type { Held, KnownName, ReadTemplate, TemplateName } from './template-file.ts';
import type { TemplateThread } from './template-thread.ts';
import { findFiles, maxFiles } from './template-tree.ts';

/** The topology of a file, whatever this machine can run. */
interface TemplateContent extends Omit<TopologySummary, 'nodes' | 'links'> {
  /** How many; null when the file cannot be understood. */
  readonly nodes: number | null;
  readonly links: number | null;
  readonly valid: boolean;
  /** Why it is not valid, as a sentence. */
  readonly error: string | null;
}

/** A topology file found in a directory. `name` and `path` are what netlab api calls them: relative to the directory. */
export interface Template extends Omit<TemplateContent, 'unsupported'> {
  readonly name: string;
  readonly path: string;
  /** Absolute; ready for `POST /jobs`. */
  readonly topologyPath: string;
  /** Bytes; null when the file cannot be opened. */
  readonly size: number | null;
  readonly modifiedAt: string | null;
  /** Whether the service knows of no obstacle to running it on this server. */
  readonly runnable: boolean;
  /** Sentences. */
  readonly obstacles: readonly string[];
}

/** A topology file, and the lab CLI that it is for. */
export interface LabTemplate extends Template {
  readonly cli: string;
}

type Files = Pick<TopologyFiles, 'isName' | 'isMade' | 'summarize' | 'missing'>;

/** The cached content of a file: the same stamp stands for the same content. */
interface Seen extends Omit<ReadTemplate, 'held'> {
  /** Undefined for a file that a lab CLI has made: it is not listed. */
  readonly content: TemplateContent | undefined;
  readonly summarize: TopologyFiles['summarize'];
}

/** Room for two of the longest lists. */
const seenMax = 2 * maxFiles;
const tickMs = 50;

/** Decides whether a topology can be run. */
interface Machine {
  /** Whether a directory is one of the service itself, whose files are not listed. */
  readonly isPrivate: (directory: string) => boolean;
  readonly files: Files;
  /** Whether a program is on the PATH of the lab CLI. */
  readonly hasProgram: (name: string) => boolean;
  /** Why nothing can be run; undefined when something can. */
  readonly without: string | undefined;
}

/** Lists topology files. The content of a file is cached until its time, its size or its place on the disk changes. */
export class Templates {
  readonly #seen = new LruCache<Seen>(seenMax);
  readonly #thread: Pick<TemplateThread, 'entries' | 'read'>;

  constructor(thread: Pick<TemplateThread, 'entries' | 'read'>) {
    this.#thread = thread;
  }

  /**
   * The files of `directory` (a real path) that may be topologies (netlab: `*.yml` and `*.yaml`), sorted by name; with `recursive` those below it as well (but
   * for `node_modules` and hidden directories), at most 5,000. A file that is not a topology is listed with `valid: false` and why. Throws `directory-not-found`.
   */
  async list(directory: string, recursive: boolean, machine: Machine): Promise<Template[]> {
    // A link may have taken its place since it was checked.
    const isReal = (await realpath(directory).catch(() => undefined)) === directory;
    const found = isReal ? await stat(directory).catch(() => undefined) : undefined;
    if (!found?.isDirectory())
      throw new AppError('directory-not-found', `dir: there is no directory ${directory}`);
    const { isName, summarize } = machine.files;
    const thread = this.#thread;
    const entries: TemplateThread['entries'] = (place, below) => thread.entries(place, below);
    const files = (
      await findFiles(directory, { recursive, isName, entries, isPrivate: machine.isPrivate })
    ).toSorted((a, b) => (a.relative < b.relative ? -1 : 1));
    const known = files.map(({ relative }) => this.#known(path.join(directory, relative), summarize));
    const names = files.map((name, index): KnownName => ({ ...name, stamp: known[index]?.stamp }));
    const templates: (Template | undefined)[] = [];
    for await (const reading of thread.read(directory, names)) {
      const name = files[templates.length] as TemplateName;
      const cached = known[templates.length] as Seen;
      const seen = reading === 'same' ? cached : this.#see(directory, name, reading, machine.files);
      templates.push(describe(directory, name, seen, machine));
    }
    return templates.filter((template) => template !== undefined);
  }

  #known(file: string, summarize: Seen['summarize']): Seen | undefined {
    const known = this.#seen.get(file);
    return known?.summarize === summarize ? known : undefined;
  }

  #see(directory: string, { relative, isLink }: TemplateName, read: ReadTemplate, files: Files): Seen {
    const { held, ...numbers } = read;
    const content = contentOf(held, path.basename(relative), files);
    const seen = { content, summarize: files.summarize, ...numbers };
    if (!isLink && read.stamp !== undefined && isSettled(read))
      this.#seen.set(path.join(directory, relative), seen);
    return seen;
  }
}

function invalid(error: string): TemplateContent {
  return {
    title: null,
    description: null,
    provider: null,
    device: null,
    devices: [],
    unsupported: [],
    nodes: null,
    links: null,
    valid: false,
    error,
  };
}

/** Never throws: the reason why a file is not a topology stands in `error`. */
function contentOf(held: Held, name: string, { isMade, summarize }: Files): TemplateContent | undefined {
  if ('problem' in held) return invalid(held.problem);
  if (!isMapping(held.value)) return invalid('The file is not a topology: it is not a YAML mapping');
  if (isMade?.(name, held.value) === true) return undefined;
  const content = summarize(held.value);
  if (content.nodes > 0) return { ...content, valid: true, error: null };
  return { ...content, valid: false, error: 'The file is not a topology: it has no nodes' };
}

function describe(
  directory: string,
  { relative }: TemplateName,
  { content, facts }: Seen,
  machine: Machine,
): Template | undefined {
  if (content === undefined) return undefined;
  const { files, hasProgram, without } = machine;
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

/** Within a tick of the clock of the file system, a file may change and keep its time. */
function isSettled({ facts }: ReadTemplate): boolean {
  return facts !== undefined && Date.now() - Date.parse(facts.modifiedAt) > tickMs;
}
