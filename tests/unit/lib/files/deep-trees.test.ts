/** Trees of more levels than a process may have open, or than a path can name. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { OpenDirectory } from '../../../../src/lib/files/open-directory.ts';
import { removeTree } from '../../../../src/lib/files/remove-tree.ts';
import { walkTree } from '../../../../src/lib/files/walk-tree.ts';
import { makeDeepTree } from '../../../support/deep-tree.ts';
import { openedBelow } from '../../../support/opened-below.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const base = temporaryDirectory();
let directory: string;
let top: OpenDirectory;
const at = (...names: readonly string[]): string => path.join(directory, ...names);
const descriptors = (): number => readdirSync('/proc/self/fd').length;

beforeEach(async () => {
  directory = mkdtempSync(path.join(base, 'deep-'));
  top = await OpenDirectory.open(directory);
});

// The removal of the temporary directory goes by paths.
afterEach(async () => {
  for (const left of readdirSync(directory)) await removeTree(top, left);
  expect(openedBelow(directory)).toEqual([directory]);
  await top.close();
});

/** Calls `action`, and reports how many more descriptors were open at any look meanwhile. */
async function mostDescriptors(action: () => Promise<void>): Promise<number> {
  const before = descriptors();
  let most = 0;
  const timer = setInterval(() => (most = Math.max(most, descriptors() - before)), 10);
  await action().finally(() => clearInterval(timer));
  return most;
}

/** So that a path to the lowest one is longer than PATH_MAX. Some file systems take milliseconds to remove each. */
const [levels, name] = [500, 'directory'];

test('a tree of many levels is walked, and erased, with few open descriptors', async () => {
  makeDeepTree(directory, levels, name);
  const found = new Map<string, string>();
  const ofWalk = await mostDescriptors(async () => {
    for await (const entry of walkTree(top)) found.set(entry.path, entry.kind);
  });
  expect(found.size).toBe(levels + 1);
  expect(found.get(`${`${name}/`.repeat(levels)}file`)).toBe('file');
  const ofRemoval = await mostDescriptors(async () => removeTree(top, name));
  expect(existsSync(at(name))).toBe(false);
  expect(Math.max(ofWalk, ofRemoval)).toBeLessThan(100);
});

describe('when a directory far above is moved away in the middle of a walk', () => {
  /** Makes `change` at the bottom of 100 levels, and returns the paths that come after that, those in the moved one first. */
  async function afterChange(change: () => void): Promise<string[]> {
    mkdirSync(at('tree'));
    makeDeepTree(at('tree'), 100);
    for (const file of ['tree/d/e', 'tree/e', 'tree/d/d/d/e']) writeFileSync(at(file), '');
    const later: string[] = [];
    let isChanged = false;
    for await (const { path: found } of walkTree(top)) {
      if (isChanged) later.push(found);
      if (!found.endsWith('/file')) continue;
      change();
      isChanged = true;
    }
    return later;
  }

  test('the walk goes on in the lowest one that is in its place', async () => {
    expect(await afterChange(() => renameSync(at('tree/d/d'), at('moved')))).toEqual([
      'tree/d/d/d/e',
      'tree/d/e',
      'tree/e',
    ]);
  });

  test('what was put in its place is not taken for it', async () => {
    const names = await afterChange(() => {
      renameSync(at('tree/d/d'), at('moved'));
      mkdirSync(at('tree/d/d/d'), { recursive: true });
    });
    expect(names).toEqual(['tree/d/d/d/e', 'tree/d/e', 'tree/e']);
  });
});
