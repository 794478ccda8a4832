/** Names, the tree of files, and the comparison of two versions, as the pages of workspaces have them. */
import { describe, expect, test } from '@jest/globals';
import { workspaceNamePattern } from '../../../src/labs/workspaces/workspace-places.ts';
import { lineDifferences } from '../../../web/dashboard/src/pages/workspaces/editor/line-differences.ts';
import { moveIn, parentsOf, treeRows } from '../../../web/dashboard/src/pages/workspaces/files/tree.ts';
import {
  archiveType,
  filePathProblem,
  nameFromArchive,
} from '../../../web/dashboard/src/pages/workspaces/names.ts';
import { workspaceNameProblem } from '../../../web/dashboard/src/parts/workspace-name.ts';
import { filePath, pageOf } from '../../../web/dashboard/src/pages/workspaces/paths.ts';
import { startLink } from '../../../web/dashboard/src/parts/start-link.ts';

describe('names', () => {
  test.each([
    'a',
    'course-1',
    '7.x_y',
    'x'.repeat(63),
    '',
    'A',
    '.a',
    '-a',
    'a b',
    'ä',
    'x'.repeat(64),
    'a/b',
  ])('%j is refused exactly where the service refuses it', (name) => {
    expect(workspaceNameProblem(name) === undefined).toBe(workspaceNamePattern.test(name));
  });

  test('“auto” is reserved', () => expect(workspaceNameProblem('auto')).toContain('job'));

  test.each([
    ['My Course (2).tar.gz', 'my-course-2'],
    ['spine_leaf.zip', 'spine_leaf'],
    ['Übung.tgz', 'u-bung'],
    ['...zip', ''],
  ])('of the archive %s: %s', (file, name) => expect(nameFromArchive(file)).toBe(name));

  test('of archives determine their types', () => {
    expect([
      archiveType('a.TGZ'),
      archiveType('a.tar.gz'),
      archiveType('a.zip'),
      archiveType('a.rar'),
    ]).toEqual(['application/gzip', 'application/gzip', 'application/zip', undefined]);
  });

  test.each(['', '/a', 'a/', 'a//b', '../a', 'a\\b', 'a\nb', 'a\u202eb', `${'d/'.repeat(32)}x`])(
    '%j is no path of a file',
    (path) => {
      expect(filePathProblem(path)).toEqual(expect.any(String));
    },
  );

  test('of files may have spaces and accents', () =>
    expect(filePathProblem('configs/r 1 é.cfg')).toBeUndefined());

  test('are encoded in addresses', () => {
    expect(filePath('a', 'x y/#1')).toBe('/workspaces/a/files/x%20y/%231');
    expect(pageOf('a', 'x/y.yml')).toBe('/workspaces/a?file=x%2Fy.yml');
    expect(startLink({ kind: 'workspace', name: 'a', file: 'topology.yml' })).toBe(
      '/?start=workspace%3Aa%2Ftopology.yml',
    );
    expect(startLink({ kind: 'workspace', name: 'a' })).toBe('/?start=workspace%3Aa');
  });
});

const file = (path: string, kind: 'file' | 'directory' = 'file') => ({ path, kind, size: 1, modifiedAt: '' });
const files = [
  file('b10'),
  file('b9'),
  file('z', 'directory'),
  file('z/in'),
  file('z/sub', 'directory'),
  file('z/sub/deep'),
];

describe('the tree', () => {
  test('has directories first, sorts numbers by value, and leaves out folded content', () => {
    const rows = treeRows(files, (path) => path === 'z');
    expect(rows.map(({ path, level, position, siblings }) => [path, level, position, siblings])).toEqual([
      ['z', 1, 1, 3],
      ['z/sub', 2, 1, 2],
      ['z/in', 2, 2, 2],
      ['b9', 1, 2, 3],
      ['b10', 1, 3, 3],
    ]);
  });

  test('shows marks of the direction of text in a name, and none turns it', () => {
    expect(treeRows([file('a\u202eb')], () => true)).toMatchObject([
      { path: 'a\u202eb', name: String.raw`a\u202eb` },
    ]);
  });

  test('adds the directories of a file that the list lacks', () => {
    expect(treeRows([file('a/b/c')], () => true).map(({ path, kind }) => [path, kind])).toEqual([
      ['a', 'directory'],
      ['a/b', 'directory'],
      ['a/b/c', 'file'],
    ]);
    expect(parentsOf('a/b/c')).toEqual(['a', 'a/b']);
  });

  test.each([
    ['z', 'ArrowDown', { kind: 'focus', path: 'z/sub' }],
    ['z', 'ArrowUp', undefined],
    ['z', 'ArrowRight', { kind: 'focus', path: 'z/sub' }],
    ['z', 'ArrowLeft', { kind: 'close', path: 'z' }],
    ['z/sub', 'ArrowRight', { kind: 'open', path: 'z/sub' }],
    ['z/in', 'ArrowLeft', { kind: 'focus', path: 'z' }],
    ['z/in', 'ArrowRight', undefined],
    ['z/in', 'End', { kind: 'focus', path: 'b10' }],
    ['b10', 'Home', { kind: 'focus', path: 'z' }],
    ['b10', 'b', { kind: 'focus', path: 'b9' }],
    ['b10', 'q', undefined],
    ['b10', 'Enter', { kind: 'choose', path: 'b10' }],
    ['b10', 'Escape', undefined],
  ])('from %s by %s', (path, key, expected) => {
    expect(
      moveIn(
        treeRows(files, (one) => one === 'z'),
        path,
        key,
      ),
    ).toEqual(expected);
  });
});

describe('two versions', () => {
  const own = (text: string, other: string): [number[], number[]] => {
    const { one, other: second } = lineDifferences(text, other);
    const marked = (lines: typeof one): number[] =>
      lines.filter(({ isOwn }) => isOwn).map(({ number }) => number);
    return [marked(one), marked(second)];
  };

  test.each([
    ['a\nb\nc', 'a\nb\nc', [[], []]],
    ['a\nb\nc', 'a\nx\nc', [[2], [2]]],
    ['a\nb\nc', 'b\nc', [[1], []]],
    ['a\nb\nc\nd', 'a\nc\nx\nd', [[2], [3]]],
    ['', 'a', [[1], [1]]],
  ])('%j and %j', (one, other, expected) => expect(own(one, other)).toEqual(expected));

  test('that are long and have nothing in common are compared fast', () => {
    const lines = (sign: string): string =>
      Array.from({ length: 5000 }, (_, index) => `${sign}${index}`).join('\n');
    expect(own(lines('a'), lines('b'))[0]).toHaveLength(5000);
  });
});
