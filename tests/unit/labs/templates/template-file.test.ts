/** One file of a list; templates.test.ts has whole lists. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { isSame, readTemplate, type KnownName } from '../../../../src/labs/templates/template-file.ts';
import { templateAnswer } from '../../../../src/labs/templates/template-worker.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = realpathSync(temporaryDirectory());
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(path.join(root, 'templates-'));
});

/** Reads a file, and checks that it was closed. */
function read(relative: string, isLink = false) {
  const openFiles = (): number => readdirSync('/proc/self/fd').length;
  const before = openFiles();
  const found = readTemplate(directory, { relative, isLink });
  expect(openFiles()).toBe(before);
  return found;
}

function write(relative: string, text: string): void {
  writeFileSync(path.join(directory, relative), text);
}

describe('a file', () => {
  test('is read with its size and its time', () => {
    write('a.yml', 'grün');
    utimesSync(path.join(directory, 'a.yml'), 1_700_000_000, 1_700_000_000);
    expect(read('a.yml')).toEqual({
      held: { value: 'grün' },
      facts: { size: 5, modifiedAt: '2023-11-14T22:13:20.000Z' },
      stamp: expect.stringMatching(/^\d+ \d+ 5 \d+ \d+$/),
    });
  });

  test('may have 1 MiB', () => {
    const longest = 1024 * 1024;
    const held = (length: number) => {
      write('a.yml', '#'.padEnd(length, 'x'));
      return read('a.yml').held;
    };
    expect(held(longest)).toEqual({ value: null });
    expect(held(longest + 1)).toEqual({ problem: 'The file is larger than 1 MiB' });
  });

  test('that is not YAML has one line about it', () => {
    write('a.yml', 'a: [1');
    expect(read('a.yml')).toMatchObject({
      held: {
        problem: expect.stringMatching(/^The file is not YAML: a \] is missing.* at line 1, column 6$/),
      },
      facts: { size: 5 },
    });
  });

  test('is the same until it changes, or is gone', () => {
    const same = (stamp: string | undefined): boolean =>
      isSame(directory, { relative: 'a.yml', isLink: false, stamp });
    write('a.yml', 'one');
    const { stamp } = read('a.yml');
    expect([same(stamp), same(undefined), same('1 2 3 4 5')]).toEqual([true, false, false]);
    write('a.yml', 'four');
    expect(same(stamp)).toBe(false);
    const { stamp: next } = read('a.yml');
    expect(same(next)).toBe(true);
    rmSync(path.join(directory, 'a.yml'));
    expect(same(next)).toBe(false);
    write('b.yml', 'one');
    symlinkSync('b.yml', path.join(directory, 'a.yml'));
    expect(same(read('b.yml').stamp)).toBe(false);
  });
});

describe('a link', () => {
  test('that leads out is not even opened: it may be a device', () => {
    symlinkSync('/dev/null', path.join(directory, 'a.yml'));
    expect(read('a.yml', true)).toEqual({
      held: { problem: 'The file is a link to the outside' },
      facts: undefined,
    });
  });

  test('that has replaced a file since the list was made leads nowhere', () => {
    // On every Linux, and outside.
    symlinkSync('/proc/version', path.join(directory, 'a.yml'));
    expect(read('a.yml').held).toEqual({ problem: 'The file is a link to the outside' });
  });
});

describe('one answer of the thread', () => {
  test('has files of 1 MiB together, in their order, or one that is longer', () => {
    const half = 512 * 1024;
    const names = [half, half - 6, 6, 6].map((length, index): KnownName => {
      write(`${index}.yml`, 'a: 1\n#'.padEnd(length, 'x'));
      return { relative: `${index}.yml`, isLink: false, stamp: undefined };
    });
    const answer = (some: readonly KnownName[]) => templateAnswer({ directory, names: some });
    expect(answer(names)).toMatchObject([half, half - 6, 6].map((size) => ({ facts: { size } })));
    expect(answer(names.slice(3))).toHaveLength(1);
  });

  test('has directories with a thousand names together, in their order', () => {
    const make = (name: string, count: number): string => {
      mkdirSync(path.join(directory, name));
      for (let index = 0; index < count; index += 1) write(path.join(name, `${index}.yml`), '');
      return name;
    };
    const below = [make('a', 2), 'gone', make('b', 997), make('c', 1), make('d', 1)];
    const names = templateAnswer({ directory, below }) as readonly (readonly unknown[])[];
    expect(names.map(({ length }) => length)).toEqual([2, 0, 997, 1]);
  });
});
