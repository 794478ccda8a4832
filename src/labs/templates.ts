import type { Dirent } from 'node:fs';
import { readdir, realpath, stat, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { AppError } from '../lib/app-error.ts';
import { mapBounded } from '../lib/map-bounded.ts';
import { isMapping } from '../lib/mapping.ts';
import { openInside } from '../lib/open-inside.ts';
import { isInside } from '../lib/path-inside.ts';
import { hasProcFs } from '../lib/processes.ts';
import { findTooDeep } from '../lib/yaml-depth.ts';
import type { TopologyFiles } from './drivers/lab-driver.ts';

/** A topology file found in a directory. `name` and `path` are what netlab api calls them: relative to the directory. */
export interface Template {
  readonly name: string;
  readonly path: string;
  /** Absolute; ready for `POST /jobs`. */
  readonly topologyPath: string;
  readonly title: string | null;
  readonly description: string | null;
  readonly provider: string | null;
  readonly device: string | null;
  /** How many; null when the file cannot be understood. */
  readonly nodes: number | null;
  readonly links: number | null;
  /** Bytes; null when the file cannot be looked at. */
  readonly size: number | null;
  readonly modifiedAt: string | null;
  readonly valid: boolean;
  /** Why it is not valid, as a sentence. */
  readonly error: string | null;
}

type Content = Pick<
  Template,
  'title' | 'description' | 'provider' | 'device' | 'nodes' | 'links' | 'valid' | 'error'
>;
type Summarize = TopologyFiles['summarize'];

const maxFiles = 5_000;
/** Directories without a single topology cost time too; a tree of this many is not a directory of templates. */
const maxDirectories = 20_000;
const maxFileBytes = 1024 * 1024;
const concurrency = 16;

function invalid(error: string): Content {
  return {
    title: null,
    description: null,
    provider: null,
    device: null,
    nodes: null,
    links: null,
    valid: false,
    error,
  };
}

async function parseTopology(text: string): Promise<unknown> {
  const tooDeep = findTooDeep(text);
  if (tooDeep) throw new Error(`it has ${tooDeep.message}`);
  const { parseDocument } = await import('yaml');
  // Without the check for duplicate keys, whose time grows with the square of their number. Aliases are bounded by the parser (100 by default): a "billion laughs" file throws.
  const document = parseDocument(text, { merge: true, logLevel: 'error', uniqueKeys: false });
  const [error] = document.errors;
  if (error !== undefined) throw error;
  return document.toJS();
}

/** What a topology's text says about the lab. Never throws: what cannot be understood is said in `error`. */
async function contentOf(text: string, summarize: Summarize): Promise<Content> {
  let topology: unknown;
  try {
    topology = await parseTopology(text);
  } catch (error) {
    const [firstLine] = (error as Error).message.split('\n');
    return invalid(`The file is not YAML: ${firstLine?.replace(/:$/, '')}`);
  }
  if (!isMapping(topology)) return invalid('The file is not a topology: it is not a YAML mapping');
  const content = summarize(topology);
  if (content.nodes > 0) return { ...content, valid: true, error: null };
  return { ...content, valid: false, error: 'The file is not a topology: it has no nodes' };
}

async function readContent(file: FileHandle, sizeBytes: number, summarize: Summarize): Promise<Content> {
  if (sizeBytes > maxFileBytes) return invalid('The file is larger than 1 MiB');
  return contentOf(await file.readFile('utf8'), summarize);
}

async function describe(directory: string, relative: string, summarize: Summarize): Promise<Template> {
  const file = path.join(directory, relative);
  const names = { name: relative, path: relative, topologyPath: file };
  const found = { size: null, modifiedAt: null } as { size: number | null; modifiedAt: string | null };
  let handle: FileHandle | undefined;
  try {
    // A link to a file elsewhere would show what lies outside the directory that was asked for.
    if (isInside(directory, await realpath(file))) handle = await openInside(directory, relative);
    if (handle === undefined) return { ...names, ...found, ...invalid('The file is a link to the outside') };
    const facts = await handle.stat();
    found.size = facts.size;
    found.modifiedAt = facts.mtime.toISOString();
    if (!facts.isFile()) return { ...names, ...found, ...invalid('This is not a regular file') };
    return { ...names, ...found, ...(await readContent(handle, facts.size, summarize)) };
  } catch {
    return { ...names, ...found, ...invalid('The file cannot be read') };
  } finally {
    await handle?.close().catch(() => undefined);
  }
}

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

/** Relative names, in breadth-first order so that the limit cuts the deepest. Symbolic links are not descended into. */
async function findFiles(
  directory: string,
  recursive: boolean,
  isName: TopologyFiles['isName'],
): Promise<string[]> {
  const files: string[] = [];
  const pending = [''];
  for (let next = 0; next < pending.length && next < maxDirectories && files.length < maxFiles; next += 1) {
    const below = pending[next] ?? '';
    // A directory below that cannot be read hides its files; those that can be read are still listed.
    const entries = await entriesOf(directory, below);
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const entry of entries) {
      const relative = path.join(below, entry.name);
      if (isName(entry.name) && (entry.isFile() || entry.isSymbolicLink())) files.push(relative);
      else if (recursive && mayHaveTemplates(entry)) pending.push(relative);
    }
  }
  return files.slice(0, maxFiles);
}

/**
 * The files of `directory` (a real path) that may be topologies (netlab: `*.yml` and `*.yaml`), sorted by name; with `recursive` those below it as well (but
 * for `node_modules` and hidden directories), at most 5,000. A file that is no topology is listed with `valid: false` and why. Throws `directory-not-found`.
 */
export async function listTemplates(
  directory: string,
  recursive: boolean,
  { isName, summarize }: Pick<TopologyFiles, 'isName' | 'summarize'>,
): Promise<Template[]> {
  // A link may have taken its place since it was checked.
  const isReal = (await realpath(directory).catch(() => undefined)) === directory;
  const found = isReal ? await stat(directory).catch(() => undefined) : undefined;
  if (!found?.isDirectory())
    throw new AppError('directory-not-found', `dir: there is no directory ${directory}`);
  const files = (await findFiles(directory, recursive, isName)).toSorted((a, b) => (a < b ? -1 : 1));
  return mapBounded(files, concurrency, async (file) => describe(directory, file, summarize));
}
