/** Finds the files of a directory, and of those below it, that may be topologies. */
import { readdirSync, type Dirent } from 'node:fs';
import path from 'node:path';
import { closeRead, openInside } from '../../lib/files/open-inside.ts';
import { hasProcFs } from '../../lib/processes/processes.ts';
import type { TemplateName } from './template-file.ts';

/** A name in a directory. */
export interface Entry {
  readonly name: string;
  readonly kind: 'file' | 'link' | 'directory' | 'other';
}

export const maxFiles = 5_000;
/** Directories without a single topology cost time too; a tree of this many is not a directory of templates. */
const maxDirectories = 20_000;

function kindOf(entry: Dirent): Entry['kind'] {
  if (entry.isFile()) return 'file';
  if (entry.isSymbolicLink()) return 'link';
  return entry.isDirectory() ? 'directory' : 'other';
}

/**
 * The names in the directory `below`, a path in `directory`. None for a directory that cannot be read, or that a link has
 * replaced: the readable directories are still listed. For a thread: it blocks. Never throws.
 */
export function entriesOf(directory: string, below: string): readonly Entry[] {
  let fd: number | undefined;
  try {
    fd = openInside(directory, below);
    if (fd === undefined) return [];
    const place = hasProcFs ? `/proc/self/fd/${fd}` : path.join(directory, below);
    const entries = readdirSync(place, { withFileTypes: true });
    return entries.map((entry) => ({ name: entry.name, kind: kindOf(entry) }));
  } catch {
    return [];
  } finally {
    if (fd !== undefined) closeRead(fd);
  }
}

/** Hidden directories belong to tools (`.git`, `.venv`), and `node_modules` to packages. */
function mayHaveTemplates({ name, kind }: Entry): boolean {
  return kind === 'directory' && name !== 'node_modules' && !name.startsWith('.');
}

interface Search {
  readonly recursive: boolean;
  readonly isName: (name: string) => boolean;
  /** Whether a directory (absolute) is not looked into. */
  readonly isPrivate: (directory: string) => boolean;
  /** The names in each of the directories, in the same order. */
  readonly entries: (directory: string, below: readonly string[]) => AsyncIterable<readonly Entry[]>;
}

/** In breadth-first order, so that the limit cuts the deepest. Symbolic links are not descended into. */
export async function findFiles(
  directory: string,
  { recursive, isName, isPrivate, entries }: Search,
): Promise<TemplateName[]> {
  const files: TemplateName[] = [];
  let level: readonly string[] = [''];
  let seen = 0;
  const add = (below: string, { name, kind }: Entry): void => {
    if (isName(name) && (kind === 'link' || kind === 'file'))
      files.push({ relative: path.join(below, name), isLink: kind === 'link' });
  };
  while (level.length > 0 && files.length < maxFiles) {
    const now = level.slice(0, Math.max(0, maxDirectories - seen));
    seen += now.length;
    const next: string[] = [];
    let index = 0;
    for await (const found of entries(directory, now)) {
      const below = now[index] ?? '';
      index += 1;
      const sorted = found.toSorted((a, b) => (a.name < b.name ? -1 : 1));
      for (const entry of sorted) add(below, entry);
      const directories = sorted.filter((entry) => recursive && mayHaveTemplates(entry));
      const inner = directories.map(({ name }) => path.join(below, name));
      next.push(...inner.filter((name) => !isPrivate(path.join(directory, name))));
    }
    level = next;
  }
  return files.slice(0, maxFiles);
}
