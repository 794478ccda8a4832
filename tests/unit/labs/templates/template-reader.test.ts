/** Which files are read in the event loop, and which are left to the thread; template-thread.test.ts has that itself. */
import { beforeEach, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { KnownName, Reading } from '../../../../src/labs/templates/template-file.ts';
import { loopReader } from '../../../../src/labs/templates/template-reader.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = realpathSync(temporaryDirectory());
let directory: string;
let forThread: string[];

const ofThread: Reading = { held: { value: 'read in the thread' }, facts: undefined };

beforeEach(() => {
  directory = mkdtempSync(path.join(root, 'templates-'));
  forThread = [];
});

const reader = loopReader({
  portions: { size: 64, atOnce: 2 },
  entries: async () => Promise.reject(new Error('the loop looks into directories itself')),
  read: async (_directory, names) => {
    forThread.push(...names.map(({ relative }) => relative));
    return Promise.resolve(names.map(() => ofThread));
  },
});

function write(relative: string, length: number): KnownName {
  writeFileSync(path.join(directory, relative), 'a: 1\n#'.padEnd(length, 'x'));
  return { relative, isLink: false, stamp: undefined };
}

async function read(...names: readonly KnownName[]): Promise<readonly Reading[]> {
  return reader.read(directory, names);
}

test('a file of 16 KiB is read in the loop, a longer one in the thread, each in its place', async () => {
  const names = [write('a.yml', 16 * 1024 + 1), write('b.yml', 16 * 1024), write('c.yml', 10)];
  const [long, ...others] = await read(...names);
  expect(long).toBe(ofThread);
  expect(others).toMatchObject([{ held: { value: { a: 1 } } }, { held: { value: { a: 1 } } }]);
  expect(forThread).toEqual(['a.yml']);
});

test('a long file that has not changed is not read at all', async () => {
  const name = write('a.yml', 6);
  const [first] = await read(name);
  if (first === undefined || first === 'same') throw new Error('it was not read');
  const known = { ...name, stamp: first.stamp };
  expect(await read(known)).toEqual(['same']);
  write('a.yml', 20 * 1024);
  expect(await read(known)).toEqual([ofThread]);
  expect(forThread).toEqual(['a.yml']);
});

test('a file that is gone is told of by the loop', async () => {
  expect(await read({ relative: 'gone.yml', isLink: false, stamp: undefined })).toEqual([
    { held: { problem: 'The file cannot be read' }, facts: undefined },
  ]);
  expect(forThread).toEqual([]);
});

test('each directory is looked into by the loop', async () => {
  mkdirSync(path.join(directory, 'below'));
  write('below/a.yml', 6);
  expect(await reader.entries(directory, ['below', '', 'gone'])).toEqual([
    [{ name: 'a.yml', kind: 'file' }],
    [{ name: 'below', kind: 'directory' }],
    [],
  ]);
});
