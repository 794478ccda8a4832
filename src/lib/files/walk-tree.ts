import type { Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { systemCode } from '../app-error.ts';
import { Descent } from './descent.ts';
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
  const way = new Descent(directory);
  /** Of each level. */
  const prefixes = [prefix];
  try {
    for (let name = await way.next(); name !== undefined || way.depth > 0; name = await way.next()) {
      if (name === undefined) {
        await way.leave();
        continue;
      }
      const parent = way.here;
      const stats = await lstat(parent.at(name)).catch(unlessGone);
      if (stats === undefined) continue;
      const path = `${prefixes[way.depth]}${name}`;
      const kind = kindOf(stats);
      const isEntered = kind === 'directory' && (await way.enter(name).then(() => true, unlessGone)) === true;
      yield { path, stats, parent, name, kind: kind === 'directory' && !isEntered ? 'other' : kind };
      if (!isEntered) continue;
      prefixes[way.depth] = `${path}/`;
      if (!goesInto(path)) await way.leave();
    }
  } finally {
    await way.close();
  }
}

function unlessGone(error: unknown): undefined {
  if (goneCodes.has(systemCode(error) ?? '') || error instanceof MountedDirectory) return undefined;
  throw error;
}
