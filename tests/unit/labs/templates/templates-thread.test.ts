/** Which lists are read in a thread, with one that takes notes; template-thread.test.ts has the real one. */
import { beforeEach, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { netlab } from '../../../../src/labs/drivers/netlab/netlab.ts';
import { loopReader, type TemplateReader } from '../../../../src/labs/templates/template-reader.ts';
import { Templates } from '../../../../src/labs/templates/templates.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();
const machine = { files: netlab.topologies, hasProgram: () => true, without: undefined };
let directory: string;
/** How many files, and directories, the thread was asked for in all. */
let asked: { files: number; directories: number };

beforeEach(() => {
  directory = mkdtempSync(path.join(root, 'templates-'));
  asked = { files: 0, directories: 0 };
});

function write(name: string): void {
  mkdirSync(path.dirname(path.join(directory, name)), { recursive: true });
  writeFileSync(path.join(directory, name), `name: ${path.basename(name, '.yml')}\nnodes: [a]\n`);
}

const none = async () => Promise.reject(new Error('there are no long files here'));
const loop = loopReader({ portions: { size: 1, atOnce: 1 }, entries: none, read: none });

/** It answers for three at a time, whatever it is asked for. */
const noting: TemplateReader = {
  portions: { size: 64, atOnce: 2 },
  entries: async (place, below) => {
    const some = below.slice(0, 3);
    asked.directories += some.length;
    return loop.entries(place, some);
  },
  read: async (place, names) => {
    const some = names.slice(0, 3);
    asked.files += some.length;
    return loop.read(place, some);
  },
};

async function listed(recursive: boolean) {
  const found = await new Templates(noting).list(directory, recursive, machine);
  return found.map(({ name, title }) => ({ name, title }));
}

const numbered = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `lab${String(index).padStart(3, '0')}`);

test('a hundred files are read in the loop, and more of them in the thread, each in its place', async () => {
  const names = numbered(101);
  for (const name of names.slice(0, 100)) write(`${name}.yml`);
  const expected = names.map((name) => ({ name: `${name}.yml`, title: name }));
  expect(await listed(false)).toEqual(expected.slice(0, 100));
  expect(asked).toEqual({ files: 0, directories: 0 });
  write('lab100.yml');
  expect(await listed(false)).toEqual(expected);
  expect(asked).toEqual({ files: 101, directories: 0 });
});

test('more than a hundred directories of a level are looked into by the thread', async () => {
  const names = numbered(101);
  for (const name of names) mkdirSync(path.join(directory, name));
  write('lab050/one.yml');
  expect(await listed(true)).toEqual([{ name: 'lab050/one.yml', title: 'one' }]);
  expect(asked).toEqual({ files: 0, directories: 101 });
});

test('the list is sorted by the whole path, whatever the level', async () => {
  for (const name of ['b.yml', 'c/a.yml', 'a/z.yml', 'a/b/c.yml', 'B.yml']) write(name);
  expect((await listed(true)).map(({ name }) => name)).toEqual([
    'B.yml',
    'a/b/c.yml',
    'a/z.yml',
    'b.yml',
    'c/a.yml',
  ]);
});
