import type { Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { systemCode } from '../app-error.ts';
import { MountedDirectory, type OpenDirectory } from './open-directory.ts';

/** An entry of a tree of directories. `other`: a link, a file with a second name, a device, a mount; it is not entered. */
export interface TreeEntry {
  readonly kind: 'file' | 'directory' | 'other';
  /** Below the top of the tree, with slashes. */
  readonly path: string;
  readonly stats: Stats;
  /** The directory of the entry, and its name there; open only until the next entry. */
  readonly parent: OpenDirectory;
  readonly name: string;
}

function kindOf(stats: Stats): TreeEntry['kind'] {
  if (stats.isDirectory()) return 'directory';
  return stats.isFile() && stats.nlink === 1 ? 'file' : 'other';
}

/** Entries that disappear during the walk are left out. */
const goneCodes = new Set(['ENOENT', 'ENOTDIR', 'ELOOP']);

/**
 * All that is in a directory, sorted by name in each; a directory before what is in it. `goesInto` keeps it out of
 * directories. @throws Error of the system when something that is there cannot be read.
 */
export async function* walkTree(
  directory: OpenDirectory,
  goesInto: (path: string) => boolean = () => true,
  prefix = '',
): AsyncGenerator<TreeEntry, void, void> {
  for (const { name } of await directory.entries()) {
    const stats = await lstat(directory.at(name)).catch(unlessGone);
    if (stats === undefined) continue;
    const entry = { path: `${prefix}${name}`, stats, parent: directory, name };
    const kind = kindOf(stats);
    if (kind !== 'directory') {
      yield { ...entry, kind };
      continue;
    }
    const below = await directory.directory(name).catch(unlessGone);
    yield { ...entry, kind: below === undefined ? 'other' : 'directory' };
    if (below === undefined) continue;
    try {
      if (goesInto(entry.path)) yield* walkTree(below, goesInto, `${entry.path}/`);
    } finally {
      await below.close();
    }
  }
}

function unlessGone(error: unknown): undefined {
  if (goneCodes.has(systemCode(error) ?? '') || error instanceof MountedDirectory) return undefined;
  throw error;
}
