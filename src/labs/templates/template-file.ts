/** One topology file of a list: what is in it, read so that a link leads nobody out of the directory that was asked for. */
import { fstatSync, type BigIntStats } from 'node:fs';
import path from 'node:path';
import type { Disk, OpenFile } from '../../lib/files/disk.ts';
import { openInside } from '../../lib/files/open-inside.ts';
import { isInside } from '../../lib/files/path-inside.ts';
import { ThreadFailure } from '../../lib/async/thread.ts';

/** How files are read. */
export interface Means {
  readonly disk: Disk;
  /** The value of a text in YAML. @throws Error with a sentence, ThreadFailure. */
  readonly parse: (text: string) => Promise<unknown>;
}

/** A file in the directory that is listed. */
export interface TemplateName {
  /** Below that directory. */
  readonly relative: string;
  readonly isLink: boolean;
}

/** One that may have been read before, and has this stamp when it has not changed since. */
export interface KnownName extends TemplateName {
  readonly stamp: string | undefined;
}

/** The value of what is in a file, or why there is none, as a sentence. */
export type Held = { readonly value: unknown } | { readonly problem: string };

/** A file as it was read; without its numbers when it could not be looked at. */
export interface ReadTemplate {
  readonly held: Held;
  readonly facts: { readonly size: number; readonly modifiedAt: string } | undefined;
  /** From before it was read: of one that is changed meanwhile, it is the stamp no more. */
  readonly stamp?: string;
}

/** `same`: it has not changed. */
export type Reading = ReadTemplate | 'same';

const maxFileBytes = 1024 * 1024;

/** Never throws. */
async function heldIn(text: string, parse: Means['parse']): Promise<Held> {
  try {
    return { value: await parse(text) };
  } catch (error) {
    if (error instanceof ThreadFailure) return { problem: `The file cannot be read: ${error.message}` };
    const [firstLine] = (error as Error).message.split('\n');
    return { problem: `The file is not YAML: ${firstLine?.replace(/:$/, '')}` };
  }
}

/** Node's own `readFile` asks for the size once more, and whether there is more. */
async function readText(file: OpenFile, sizeBytes: number): Promise<string> {
  const bytes = Buffer.alloc(sizeBytes);
  let length = 0;
  while (length < sizeBytes) {
    const { bytesRead } = await file.read(bytes, length, sizeBytes - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.toString('utf8', 0, length);
}

async function readHeld(file: OpenFile, sizeBytes: number, parse: Means['parse']): Promise<Held> {
  if (sizeBytes > maxFileBytes) return { problem: 'The file is larger than 1 MiB' };
  return heldIn(await readText(file, sizeBytes), parse);
}

function stampIn({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`;
}

/** Whether a file has not changed since it was read. Never throws. */
export async function isSame(
  directory: string,
  { relative, stamp }: KnownName,
  disk: Disk,
): Promise<boolean> {
  if (stamp === undefined) return false;
  try {
    const facts = await disk.lstat(path.join(directory, relative));
    return facts.isFile() && stampIn(facts) === stamp;
  } catch {
    return false;
  }
}

/** Opens a file for reading; undefined when it lies outside the directory, which a link may lead to. */
async function openTemplate(directory: string, { relative, isLink }: TemplateName, disk: Disk) {
  // Some devices do something when they are opened, so a link is looked at before, too.
  if (isLink && !isInside(directory, await disk.realpath(path.join(directory, relative)))) return undefined;
  return openInside(disk, directory, relative);
}

async function close(file: OpenFile | undefined): Promise<void> {
  try {
    await file?.close();
  } catch {
    // Its content was read.
  }
}

/** Asks the disk as little as can be: in a list of thousands, each question costs as much as the parser of YAML does. Never throws. */
export async function readTemplate(
  directory: string,
  name: TemplateName,
  means: Means,
): Promise<ReadTemplate> {
  let facts: ReadTemplate['facts'];
  let file: OpenFile | undefined;
  try {
    file = await openTemplate(directory, name, means.disk);
    if (file === undefined) return { held: { problem: 'The file is a link to the outside' }, facts };
    // At once: the numbers of a file that was just opened are in memory.
    const found = fstatSync(file.fd, { bigint: true });
    const size = Number(found.size);
    facts = { size, modifiedAt: found.mtime.toISOString() };
    if (!found.isFile()) return { held: { problem: 'This is not a regular file' }, facts };
    return { held: await readHeld(file, size, means.parse), facts, stamp: stampIn(found) };
  } catch {
    return { held: { problem: 'The file cannot be read' }, facts };
  } finally {
    await close(file);
  }
}
