/** Which files are found, in trees that are not on any disk; templates.test.ts has some that are. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { mkdirSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { entriesOf, findFiles, maxFiles, type Entry } from '../../../../src/labs/templates/template-tree.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

/** By directory: what is in it. */
type Tree = (below: string) => readonly Entry[];

let looked: string[];
let counts: number[];

beforeEach(() => {
  [looked, counts] = [[], []];
});

async function find(tree: Tree, recursive = true) {
  return findFiles('/topologies', {
    recursive,
    isName: (name) => name.endsWith('.yml'),
    isPrivate: (place) => place === '/topologies/of-the-service',
    async *entries(directory, below) {
      expect(directory).toBe('/topologies');
      counts.push(below.length);
      looked.push(...below);
      yield* below.map(tree);
      await Promise.resolve();
    },
  });
}

const of =
  (tree: Readonly<Record<string, readonly Entry[]>>): Tree =>
  (below) =>
    tree[below] ?? [];
const file = (name: string): Entry => ({ name, kind: 'file' });
const directory = (name: string): Entry => ({ name, kind: 'directory' });
const names = (files: Awaited<ReturnType<typeof find>>) => files.map(({ relative }) => relative);

const tree = of({
  '': [file('z.yml'), directory('y'), file('b.txt'), directory('a'), file('b.yml'), file('B.yml')],
  a: [directory('deep'), file('2.yml')],
  'a/deep': [file('3.yml')],
  y: [file('1.yml')],
});

describe('the files', () => {
  test('leave the directories of the service out', async () => {
    const withOwn = of({
      '': [directory('of-the-service'), directory('open')],
      'of-the-service': [file('1.yml')],
      open: [file('2.yml')],
    });
    expect(names(await find(withOwn))).toEqual(['open/2.yml']);
    expect(looked).toEqual(['', 'open']);
  });

  test('stand by level, each by name', async () => {
    expect(names(await find(tree))).toEqual([
      'B.yml',
      'b.yml',
      'z.yml',
      'a/2.yml',
      'y/1.yml',
      'a/deep/3.yml',
    ]);
    expect(looked).toEqual(['', 'a', 'y', 'a/deep']);
    expect(counts).toEqual([1, 2, 1]);
  });

  test('may be links, and are nothing else that has such a name', async () => {
    const odd: readonly Entry[] = [
      { name: 'a.yml', kind: 'link' },
      { name: 'b.yml', kind: 'other' },
      { name: 'c', kind: 'link' },
      { name: 'd', kind: 'other' },
      directory('e.yml'),
    ];
    expect(await find(of({ '': odd, 'e.yml': [file('f.yml')] }))).toEqual([
      { relative: 'a.yml', isLink: true },
      { relative: 'e.yml/f.yml', isLink: false },
    ]);
    expect(looked).toEqual(['', 'e.yml']);
  });
});

describe('there is an end', () => {
  const many = (count: number): readonly Entry[] =>
    Array.from({ length: count }, (_, index) => file(`${String(index).padStart(5, '0')}.yml`));

  test('after 5,000 files: the deepest are cut, and no level is looked at that has none to give', async () => {
    const both = of({ '': [...many(maxFiles - 1), directory('a')], a: [...many(2), directory('b')] });
    const found = names(await find(both));
    expect(found).toHaveLength(maxFiles);
    expect(found.at(-1)).toBe('a/00000.yml');
    expect(looked).toEqual(['', 'a']);
    looked = [];
    expect(await find(of({ '': [...many(maxFiles), directory('a')] }))).toHaveLength(maxFiles);
    expect(looked).toEqual(['']);
  });

  test('after 20,000 directories, in a tree that goes on without a topology', async () => {
    const wide = Array.from({ length: 15_000 }, (_, index) => directory(`d${index}`));
    expect(await find((below) => (below === '' ? wide : [directory('x')]))).toEqual([]);
    expect(looked).toHaveLength(20_000);
  });
});

describe('a directory', () => {
  const place = realpathSync(temporaryDirectory());
  mkdirSync(path.join(place, 'below'));
  writeFileSync(path.join(place, 'below/a.yml'), '');
  const openFiles = (): number => readdirSync('/proc/self/fd').length;

  test('that cannot be read has no names, and is closed, too', () => {
    const before = openFiles();
    for (const name of ['gone', 'below/a.yml', '..']) expect(entriesOf(place, name)).toEqual([]);
    expect(openFiles()).toBe(before);
  });
});
