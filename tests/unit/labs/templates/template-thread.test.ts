import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { KnownName } from '../../../../src/labs/templates/template-file.ts';
import { loopReader, type TemplateReader } from '../../../../src/labs/templates/template-reader.ts';
import { TemplateThread } from '../../../../src/labs/templates/template-thread.ts';
import { mapPortions } from '../../../../src/lib/async/map-portions.ts';
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

async function read(reader: TemplateReader, names: readonly KnownName[]) {
  return mapPortions(names, reader.portions, async (some) => reader.read(directory, some));
}

test('the thread reads what the loop reads', async () => {
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
  const found = await read(thread, names);
  expect(found).toEqual(await read(loopReader(thread), names));
  expect(found.filter((one) => one !== 'same' && 'value' in one.held).length).toBeGreaterThan(20);
});

test('what has not changed is not read again', async () => {
  const name = write('lab.yml', 'nodes: [a]');
  const [first] = await thread.read(directory, [name]);
  if (first === undefined || first === 'same') throw new Error('it was not read');
  const known = { ...name, stamp: first.stamp };
  for (const reader of [thread, loopReader(thread)]) {
    expect(await reader.read(directory, [known])).toEqual(['same']);
    expect(await reader.read(directory, [{ ...known, stamp: '1 2 3' }])).toEqual([first]);
  }
});

test('an answer is never long: it is for some of what was asked for', async () => {
  const names = [1, 2, 3].map((it) => write(`lab${it}.yml`, `a: ${it}\n#${'x'.repeat(700_000)}`));
  expect(await thread.read(directory, names)).toHaveLength(2);
  expect(await read(thread, names)).toMatchObject([1, 2, 3].map((it) => ({ held: { value: { a: it } } })));
  for (let index = 0; index < 1_000; index += 1) write(`many/${index}`, '');
  expect((await thread.entries(directory, ['many', ''])).map(({ length }) => length)).toEqual([1_000]);
});

test('the thread sees what the loop sees', async () => {
  write('below/lab.yml', '');
  link('link', 'below');
  link('way-out', '/etc');
  execFileSync('mkfifo', [path.join(directory, 'pipe')]);
  const below = ['', 'below', 'link', 'way-out', 'pipe', 'nothing'];
  const seen = await thread.entries(directory, below);
  expect(seen).toEqual(await loopReader(thread).entries(directory, below));
  expect(seen[0]?.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
    { name: 'below', kind: 'directory' },
    { name: 'link', kind: 'link' },
    { name: 'pipe', kind: 'other' },
    { name: 'way-out', kind: 'link' },
  ]);
  expect(seen.slice(1)).toEqual([
    [{ name: 'lab.yml', kind: 'file' }],
    [{ name: 'lab.yml', kind: 'file' }],
    [],
    [],
    [],
  ]);
});

test('without the thread, it is still told what there is', async () => {
  const stopped = new AbortController();
  const none = new TemplateThread(stopped.signal);
  stopped.abort();
  expect(await none.entries(directory, ['', 'x'])).toEqual([[], []]);
  expect(await none.read(directory, [write('a.yml', 'a: 1'), nameOf('b.yml')])).toMatchObject([
    { held: { problem: 'The file cannot be read: the service stops' }, facts: { size: 4 } },
    { held: { problem: 'The file cannot be read' }, facts: undefined },
  ]);
});
