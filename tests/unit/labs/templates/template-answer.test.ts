/** How much the thread answers at a time, in the process of the test; template-thread.test.ts has the thread itself. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { templateAnswer } from '../../../../src/labs/templates/template-worker.ts';
import type { KnownName, Reading } from '../../../../src/labs/templates/template-file.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = realpathSync(temporaryDirectory());
const mib = 1024 * 1024;
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(path.join(root, 'templates-'));
});

describe('files', () => {
  const nameOf = (relative: string): KnownName => ({ relative, isLink: false, stamp: undefined });

  function write(relative: string, length: number): KnownName {
    writeFileSync(path.join(directory, relative), 'a: 1\n#'.padEnd(length, 'x'));
    return nameOf(relative);
  }

  const read = (names: readonly KnownName[]) => templateAnswer({ directory, names }) as readonly Reading[];

  test('are read, in their order, until they have 1 MiB together', () => {
    const half = mib / 2;
    const names = [write('a.yml', half), write('b.yml', half - 6), write('c.yml', 6), write('d.yml', 6)];
    const sizes = read(names).map((one) => (one === 'same' ? one : one.facts?.size));
    expect(sizes).toEqual([half, half - 6, 6]);
    expect(read(names.slice(3))).toHaveLength(1);
  });
});

describe('directories', () => {
  const make = (name: string, count: number): string => {
    mkdirSync(path.join(directory, name));
    for (let index = 0; index < count; index += 1)
      writeFileSync(path.join(directory, name, `${index}.yml`), '');
    return name;
  };
  const lengths = (below: readonly string[]) =>
    (templateAnswer({ directory, below }) as readonly (readonly unknown[])[]).map(({ length }) => length);

  test('are looked into, in their order, until they have a thousand names together', () => {
    const below = [make('a', 2), 'gone', make('b', 997), make('c', 1), make('d', 1)];
    expect(lengths(below)).toEqual([2, 0, 997, 1]);
    expect(lengths(below.slice(3))).toEqual([1, 1]);
  });
});
