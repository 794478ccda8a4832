/** One topology file of a list: what is in it, read so that a link leads nobody out of the directory that was asked for. */
import { fstatSync, type BigIntStats } from 'node:fs';
import { lstat, realpath, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { isMapping } from '../lib/mapping.ts';
import { openInside } from '../lib/open-inside.ts';
import { isInside } from '../lib/path-inside.ts';
import { ThreadFailure } from '../lib/thread.ts';
import type { TopologyFiles, TopologySummary } from './drivers/lab-driver.ts';

/** How a text becomes what is shown of it. */
export interface Reader {
  /** The value of a text in YAML. @throws Error with a sentence. */
  readonly parse: (text: string) => Promise<unknown>;
  readonly summarize: TopologyFiles['summarize'];
}

/** What is in a file, whatever there is on this machine. */
export interface TemplateContent extends Omit<TopologySummary, 'nodes' | 'links'> {
  /** How many; null when the file cannot be understood. */
  readonly nodes: number | null;
  readonly links: number | null;
  readonly valid: boolean;
  /** Why it is not valid, as a sentence. */
  readonly error: string | null;
}

/** A file in the directory that is listed. */
export interface TemplateName {
  /** Below that directory. */
  readonly relative: string;
  readonly isLink: boolean;
}

/** A file as it was read; without its numbers when it could not be looked at. */
export interface ReadTemplate {
  readonly content: TemplateContent;
  readonly facts: { readonly size: number; readonly modifiedAt: string } | undefined;
  /** From before it was read: of one that is changed meanwhile, it is the stamp no more. */
  readonly stamp?: string;
}

const maxFileBytes = 1024 * 1024;

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

/** What a topology's text says about the lab. Never throws: what cannot be understood is said in `error`. */
async function contentOf(text: string, { parse, summarize }: Reader): Promise<TemplateContent> {
  let topology: unknown;
  try {
    topology = await parse(text);
  } catch (error) {
    if (error instanceof ThreadFailure) return invalid(`The file cannot be read: ${error.message}`);
    const [firstLine] = (error as Error).message.split('\n');
    return invalid(`The file is not YAML: ${firstLine?.replace(/:$/, '')}`);
  }
  if (!isMapping(topology)) return invalid('The file is not a topology: it is not a YAML mapping');
  const content = summarize(topology);
  if (content.nodes > 0) return { ...content, valid: true, error: null };
  return { ...content, valid: false, error: 'The file is not a topology: it has no nodes' };
}

/** Node's own `readFile` asks for the size once more, and whether there is more. */
async function readText(file: FileHandle, sizeBytes: number): Promise<string> {
  const bytes = Buffer.alloc(sizeBytes);
  let length = 0;
  while (length < sizeBytes) {
    const { bytesRead } = await file.read(bytes, length, sizeBytes - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.toString('utf8', 0, length);
}

async function readContent(file: FileHandle, sizeBytes: number, reader: Reader): Promise<TemplateContent> {
  if (sizeBytes > maxFileBytes) return invalid('The file is larger than 1 MiB');
  return contentOf(await readText(file, sizeBytes), reader);
}

function stampIn({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`;
}

/** The numbers by which a file is known that was read before; undefined for what is no regular file. */
export async function stampOf(file: string): Promise<string | undefined> {
  const facts = await lstat(file, { bigint: true }).catch(() => undefined);
  return facts?.isFile() ? stampIn(facts) : undefined;
}

/** Opens a file for reading; undefined when it lies outside the directory, which a link may lead to. */
async function openTemplate(directory: string, { relative, isLink }: TemplateName) {
  // Some devices do something when they are opened, so a link is looked at before, too.
  if (isLink && !isInside(directory, await realpath(path.join(directory, relative)))) return undefined;
  return openInside(directory, relative);
}

/** Asks the disk as little as can be: in a list of thousands, each question costs as much as the parser of YAML does. */
export async function readTemplate(
  directory: string,
  name: TemplateName,
  reader: Reader,
): Promise<ReadTemplate> {
  let facts: ReadTemplate['facts'];
  let handle: FileHandle | undefined;
  try {
    handle = await openTemplate(directory, name);
    if (handle === undefined) return { content: invalid('The file is a link to the outside'), facts };
    // At once: the numbers of a file that was just opened are in memory.
    const found = fstatSync(handle.fd, { bigint: true });
    const size = Number(found.size);
    facts = { size, modifiedAt: found.mtime.toISOString() };
    if (!found.isFile()) return { content: invalid('This is not a regular file'), facts };
    return { content: await readContent(handle, size, reader), facts, stamp: stampIn(found) };
  } catch {
    return { content: invalid('The file cannot be read'), facts };
  } finally {
    await handle?.close().catch(() => undefined);
  }
}
