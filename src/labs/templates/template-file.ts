/** Reads one topology file of a list. A link cannot lead out of the listed directory. For a thread: every call blocks. */
import { fstatSync, lstatSync, readSync, realpathSync, type BigIntStats } from 'node:fs';
import path from 'node:path';
import { closeRead, openInside } from '../../lib/files/open-inside.ts';
import { isInside } from '../../lib/files/path-inside.ts';
import { readYaml } from './read-yaml.ts';

/** A file in the directory that is listed. */
export interface TemplateName {
  /** Below that directory. */
  readonly relative: string;
  readonly isLink: boolean;
}

/** A file that may be in the cache: `stamp` is the stamp of the cached version. */
export interface KnownName extends TemplateName {
  readonly stamp: string | undefined;
}

/** The value of a file, or a sentence that says why there is none. */
export type Held = { readonly value: unknown } | { readonly problem: string };

export interface ReadTemplate {
  readonly held: Held;
  /** Undefined when the file could not be opened. */
  readonly facts: { readonly size: number; readonly modifiedAt: string } | undefined;
  /** Taken before the file was read: a file that changes meanwhile has another one afterwards. */
  readonly stamp?: string;
}

/** `same`: the file has not changed since the stamp. */
export type Reading = ReadTemplate | 'same';

const maxFileBytes = 1024 * 1024;

/** Never throws. */
function parse(text: string): Held {
  try {
    return { value: readYaml(text) };
  } catch (error) {
    return { problem: `The file is not YAML: ${(error as Error).message}` };
  }
}

function readText(fd: number, sizeBytes: number): string {
  const bytes = Buffer.alloc(sizeBytes);
  let length = 0;
  while (length < sizeBytes) {
    const bytesRead = readSync(fd, bytes, length, sizeBytes - length, length);
    // The file became shorter.
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.toString('utf8', 0, length);
}

function stampIn({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`;
}

/** Whether a file has not changed since it was read. Never throws. */
export function isSame(directory: string, { relative, stamp }: KnownName): boolean {
  if (stamp === undefined) return false;
  try {
    const facts = lstatSync(path.join(directory, relative), { bigint: true });
    return facts.isFile() && stampIn(facts) === stamp;
  } catch {
    return false;
  }
}

/** Opens a file for reading; undefined when it lies outside the directory, which a link may lead to. */
function openTemplate(directory: string, { relative, isLink }: TemplateName): number | undefined {
  // Opening some devices has an effect, so the target of a link is checked before it is opened, too.
  if (isLink && !isInside(directory, realpathSync.native(path.join(directory, relative)))) return undefined;
  return openInside(directory, relative);
}

/** Reads a file with few system calls: in a list of thousands, each costs as much as parsing does. Never throws. */
export function readTemplate(directory: string, name: TemplateName): ReadTemplate {
  let facts: ReadTemplate['facts'];
  let fd: number | undefined;
  try {
    fd = openTemplate(directory, name);
    if (fd === undefined) return { held: { problem: 'The file is a link to the outside' }, facts };
    const found = fstatSync(fd, { bigint: true });
    const size = Number(found.size);
    facts = { size, modifiedAt: found.mtime.toISOString() };
    if (!found.isFile()) return { held: { problem: 'This is not a regular file' }, facts };
    const stamp = stampIn(found);
    if (size > maxFileBytes) return { held: { problem: 'The file is larger than 1 MiB' }, facts, stamp };
    return { held: parse(readText(fd, size)), facts, stamp };
  } catch {
    return { held: { problem: 'The file cannot be read' }, facts };
  } finally {
    if (fd !== undefined) closeRead(fd);
  }
}
