/** Paths inside the root file system of an image, whose symbolic links may lead anywhere. */
import { chmodSync, lstatSync, mkdirSync, readlinkSync, type Stats } from 'node:fs';
import path from 'node:path';
import { systemCode } from '../../lib/app-error.ts';
import { refuse } from '../../lib/archives/unpack-target.ts';
import { shownPath } from '../../lib/archives/entry-path.ts';

/** As the kernel counts them (path_resolution(7)). */
const maxLinks = 40;

/** Of one path, with those that links add: more than any image needs. */
const maxNames = 255;

/** Undefined for a name that does not exist. */
export function statOf(file: string): Stats | undefined {
  try {
    return lstatSync(file);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) return undefined;
    throw error;
  }
}

const namesIn = (file: string): string[] => file.split('/').filter((name) => name !== '' && name !== '.');

/** The names in a path. @throws AppError `archive-refused` for `..`, which no archive of an image needs. */
export function partsOf(name: string): readonly string[] {
  const parts = namesIn(name);
  if (parts.includes('..')) throw refuse(`the path ${shownPath(name)} has ".." in it`);
  if (parts.length > maxNames) throw refuse(`the path ${shownPath(name)} is too deep`);
  return parts;
}

/** Makes a directory that every user may enter, independent of the umask. */
export function makePlain(directory: string): void {
  mkdirSync(directory);
  chmodSync(directory, 0o755);
}

/**
 * The place of a directory in the root file system below `root`, as a process with that root would find it: links are
 * followed, an absolute one begins at `root`, and `..` does not lead out of it. With `make`, missing directories are made.
 * The result has no links: no other program writes below `root`.
 * @throws AppError `archive-refused` when something in the path is no directory; undefined if it is missing.
 */
export function directoryInside(root: string, parts: readonly string[], make: boolean): string | undefined {
  const rest = [...parts];
  let [at, links, names] = [root, 0, 0];
  for (let part = rest.shift(); part !== undefined; part = rest.shift()) {
    names += 1;
    if (names > maxNames) throw refuse(`${shownPath(parts.join('/'))} leads through too many directories`);
    if (part === '..') {
      at = at === root ? root : path.dirname(at);
      continue;
    }
    const next = path.join(at, part);
    const stats = statOf(next);
    if (stats?.isSymbolicLink() === true) {
      links += 1;
      if (links > maxLinks) throw refuse(`${shownPath(parts.join('/'))} has too many symbolic links`);
      const target = readlinkSync(next);
      if (target.startsWith('/')) at = root;
      rest.unshift(...namesIn(target));
      continue;
    }
    if (stats === undefined && !make) return undefined;
    if (stats === undefined) makePlain(next);
    else if (!stats.isDirectory())
      throw refuse(`${shownPath(parts.join('/'))} leads through something that is no directory`);
    at = next;
  }
  return at;
}

/** Whether there is a program of that absolute path in the root file system; links are followed inside. */
export function hasProgram(root: string, file: string): boolean {
  let parts = partsOf(file);
  for (let links = 0; links <= maxLinks && parts.length <= maxNames; links += 1) {
    const directory = directoryInside(root, parts.slice(0, -1), false);
    const place = directory && path.join(directory, parts.at(-1) ?? '');
    const stats = place === undefined ? undefined : statOf(place);
    if (place === undefined || stats?.isSymbolicLink() !== true)
      return stats?.isFile() === true && (stats.mode & 0o111) !== 0;
    const target = readlinkSync(place);
    const from = target.startsWith('/') ? [] : parts.slice(0, -1);
    parts = [...from, ...namesIn(target)];
  }
  return false;
}
