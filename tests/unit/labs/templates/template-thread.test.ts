import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readTemplate, type KnownName } from '../../../../src/labs/templates/template-file.ts';
import { TemplateThread } from '../../../../src/labs/templates/template-thread.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { writtenYaml } from '../../../support/written-yaml.ts';

const root = realpathSync(temporaryDirectory());
const end = new AbortController();
const thread = new TemplateThread(end.signal);
afterAll(() => end.abort());
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(path.join(root, 'templates-'));
});

const nameOf = (relative: string, isLink = false): KnownName => ({ relative, isLink, stamp: undefined });

function write(relative: string, text: string): KnownName {
  mkdirSync(path.dirname(path.join(directory, relative)), { recursive: true });
  writeFileSync(path.join(directory, relative), text);
  return nameOf(relative);
}

function link(relative: string, target: string): KnownName {
  symlinkSync(target, path.join(directory, relative));
  return nameOf(relative, true);
}

async function all<T>(found: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const one of found) list.push(one);
  return list;
}

test('each file is read, in the order of the names', async () => {
  const names = Array.from({ length: 300 }, (_, seed) => write(`lab${seed}.yml`, writtenYaml(seed)));
  execFileSync('mkfifo', [path.join(directory, 'pipe.yml')]);
  names.push(
    write('empty.yml', ''),
    write('below/deep.yml', '['.repeat(1_000)),
    write('large.yml', `nodes: [a]\n#${'x'.repeat(1024 * 1024)}`),
    link('inside.yml', 'empty.yml'),
    link('outside.yml', '/etc/hostname'),
    link('gone.yml', 'nothing'),
    link('directory.yml', 'below'),
    nameOf('pipe.yml'),
    nameOf('nothing.yml'),
  );
  const found = await all(thread.read(directory, names));
  expect(found).toEqual(names.map((name) => readTemplate(directory, name)));
});

test('files that make an answer long come in several answers, and none is missing', async () => {
  const names = [1, 2, 3].map((it) => write(`lab${it}.yml`, `a: ${it}\n#${'x'.repeat(700_000)}`));
  expect(await all(thread.read(directory, names))).toMatchObject(
    [1, 2, 3].map((it) => ({ held: { value: { a: it } } })),
  );
  for (let index = 0; index < 1_000; index += 1) write(`many/${index}`, '');
  expect((await all(thread.entries(directory, ['many', 'many', '']))).map(({ length }) => length)).toEqual([
    1_000, 1_000, 4,
  ]);
});

test('directories are read; links and other files have no names in them', async () => {
  write('below/lab.yml', '');
  link('link', 'below');
  link('way-out', '/etc');
  execFileSync('mkfifo', [path.join(directory, 'pipe')]);
  const seen = await all(thread.entries(directory, ['', 'below', 'link', 'way-out', 'pipe', 'nothing']));
  expect(seen[0]?.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
    { name: 'below', kind: 'directory' },
    { name: 'link', kind: 'link' },
    { name: 'pipe', kind: 'other' },
    { name: 'way-out', kind: 'link' },
  ]);
  const lab = [{ name: 'lab.yml', kind: 'file' }];
  expect(seen.slice(1)).toEqual([lab, lab, [], [], []]);
});

test('when the service stops, the list says why files are not read', async () => {
  const stopped = new AbortController();
  const none = new TemplateThread(stopped.signal);
  stopped.abort();
  expect(await all(none.entries(directory, ['', 'x']))).toEqual([[], []]);
  expect(await all(none.read(directory, [write('a.yml', 'a: 1')]))).toEqual([
    { held: { problem: 'The file cannot be read: the service stops' }, facts: undefined },
  ]);
});
