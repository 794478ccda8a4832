import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { netlab } from '../../../../src/labs/drivers/netlab/netlab.ts';
import { TemplateThread } from '../../../../src/labs/templates/template-thread.ts';
import { Templates, type Template } from '../../../../src/labs/templates/templates.ts';
import type { Mapping } from '../../../../src/lib/mapping.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();
let directory: string;

const end = new AbortController();
afterAll(() => end.abort());
const thread = new TemplateThread(end.signal);

const machine: Parameters<Templates['list']>[2] = {
  files: netlab.topologies,
  isPrivate: () => false,
  hasProgram: () => true,
  without: undefined,
};

async function listTemplates(dir: string, recursive: boolean, changes: Partial<typeof machine> = {}) {
  return new Templates(thread).list(dir, recursive, { ...machine, ...changes });
}

beforeEach(() => {
  directory = mkdtempSync(path.join(root, 'templates-'));
});

function write(name: string, text: string): string {
  const file = path.join(directory, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

async function only(text: string): Promise<Template> {
  write('lab.yml', text);
  const [template] = await listTemplates(directory, false);
  if (template === undefined) throw new Error('nothing was listed');
  return template;
}

test('every field of an entry', async () => {
  const text = [
    'name: demo',
    'title: Two routers',
    'description: "  OSPF between two routers "',
    'provider: clab',
    'defaults: { device: frr }',
    'nodes: { r1: {}, r2: {} }',
    'links: [r1-r2, r1-r2, r1]',
  ].join('\n');
  const file = write('lab.yml', text);
  utimesSync(file, 1_700_000_000, 1_700_000_000);
  expect(await listTemplates(directory, false)).toEqual([
    {
      name: 'lab.yml',
      path: 'lab.yml',
      topologyPath: file,
      title: 'Two routers',
      description: 'OSPF between two routers',
      provider: 'clab',
      device: 'frr',
      devices: ['frr'],
      nodes: 2,
      links: 3,
      size: text.length,
      modifiedAt: '2023-11-14T22:13:20.000Z',
      valid: true,
      error: null,
      runnable: true,
      obstacles: [],
    },
  ]);
});

test('a file that netlab has made is not offered', async () => {
  write('hosts.yml', 'all: { hosts: {} }\n');
  const file = write('topology.yml', 'nodes: [a]\n');
  expect((await listTemplates(directory, false)).map(({ topologyPath }) => topologyPath)).toEqual([file]);
});

test.each([
  { name: 'dotted keys', text: 'defaults.device: eos\nnodes: [a]', expected: { device: 'eos', valid: true } },
  {
    name: 'merge keys',
    text: 'base: &b { device: eos }\ndefaults: { <<: *b }\nnodes: [a]',
    expected: { device: 'eos' },
  },
  {
    name: 'no nodes',
    text: 'name: x',
    expected: { valid: false, nodes: 0, error: 'The file is not a topology: it has no nodes' },
  },
  { name: 'nothing', text: '', expected: { valid: false, nodes: null } },
  { name: 'a text', text: 'hello', expected: { valid: false } },
  {
    name: 'not YAML',
    text: 'nodes: [a\n  b: {',
    expected: { valid: false, error: expect.stringContaining('The file is not YAML: ') },
  },
  { name: 'two documents', text: 'nodes: [a]\n---\nnodes: [b]', expected: { valid: false } },
  { name: 'a NUL byte', text: 'nodes: [a]\0', expected: { valid: false } },
])('$name', async ({ text, expected }) => {
  expect(await only(text)).toMatchObject(expected);
});

test('a "billion laughs" file is invalid and quick', async () => {
  const levels = Array.from({ length: 12 }, (_, at) => `a${at + 1}: &a${at + 1} [${`*a${at}, `.repeat(10)}]`);
  const template = await only(`a0: &a0 [lol]\n${levels.join('\n')}\nnodes: [a]`);
  expect(template).toMatchObject({ valid: false, error: expect.stringContaining('alias') });
});

describe('which files', () => {
  test('*.yml and *.yaml, sorted by name', async () => {
    for (const name of ['b.yml', 'a.yaml', 'c.txt', 'yml', 'sub/d.yml', '.hidden.yml'])
      write(name, 'nodes: [a]');
    const names = (await listTemplates(directory, false)).map(({ name }) => name);
    expect(names).toEqual(['.hidden.yml', 'a.yaml', 'b.yml']);
  });

  test('those below with recursive, but not through links', async () => {
    write('b.yml', 'nodes: [a]');
    write('sub/deep/d.yml', 'nodes: [a]');
    symlinkSync(directory, path.join(directory, 'loop'));
    symlinkSync('/etc', path.join(directory, 'etc'));
    const templates = await listTemplates(directory, true);
    expect(templates.map(({ path: relative }) => relative)).toEqual(['b.yml', 'sub/deep/d.yml']);
    expect(templates[1]?.topologyPath).toBe(path.join(directory, 'sub/deep/d.yml'));
  });

  test('not those of packages and of hidden directories, unless one of these is asked for', async () => {
    for (const name of ['node_modules/x/a.yml', '.git/b.yml', 'sub/.venv/c.yml', 'sub/d.yml'])
      write(name, 'nodes: [a]');
    const names = (await listTemplates(directory, true)).map(({ name }) => name);
    expect(names).toEqual(['sub/d.yml']);
    expect(await listTemplates(path.join(directory, 'node_modules'), true)).toHaveLength(1);
  });

  test('a link inside is followed, one to the outside or to nothing is listed as invalid', async () => {
    write('a.yml', 'nodes: [a]');
    symlinkSync('a.yml', path.join(directory, 'b.yml'));
    symlinkSync('/etc/hostname', path.join(directory, 'c.yml'));
    symlinkSync('gone', path.join(directory, 'd.yml'));
    symlinkSync('/etc', path.join(directory, 'e.yml'));
    const templates = await listTemplates(directory, false);
    expect(templates.map(({ valid }) => valid)).toEqual([true, true, false, false, false]);
    expect(templates[2]?.error).toBe('The file is a link to the outside');
    expect(templates[3]).toMatchObject({ error: 'The file cannot be read', size: null, modifiedAt: null });
  });

  test('a FIFO of that name makes nobody wait', async () => {
    execFileSync('mkfifo', [path.join(directory, 'a.yml')]);
    symlinkSync('a.yml', path.join(directory, 'b.yml'));
    expect(await listTemplates(directory, false)).toMatchObject([
      { name: 'b.yml', valid: false, error: 'This is not a regular file' },
    ]);
  });
});

test.each(['/no/such/directory', '/etc/hostname'])('%s is no directory', async (dir) => {
  expect(await failureOf(listTemplates(dir, false))).toMatchObject({ code: 'directory-not-found' });
});

describe('a link that somebody puts in the place of a directory leads nowhere', () => {
  function writeOutside(): string {
    const outside = mkdtempSync(path.join(root, 'outside-'));
    writeFileSync(path.join(outside, 'secret.yml'), 'nodes: [r1]');
    return outside;
  }

  test('of the one that was asked for', async () => {
    rmdirSync(directory);
    symlinkSync(writeOutside(), directory);
    expect(await failureOf(listTemplates(directory, false))).toMatchObject({ code: 'directory-not-found' });
  });

  test('of one below, that was looked at already', async () => {
    write('first.yml', 'nodes: [r1]');
    mkdirSync(path.join(directory, 'labs'));
    const outside = writeOutside();
    const isName = (name: string): boolean => {
      if (name === 'first.yml') {
        rmdirSync(path.join(directory, 'labs'));
        symlinkSync(outside, path.join(directory, 'labs'));
      }
      return netlab.topologies.isName(name);
    };
    const files = { ...netlab.topologies, isName };
    const listed = await listTemplates(directory, true, { files });
    expect(listed.map(({ name }) => name)).toEqual(['first.yml']);
  });
});

describe('many files, and long ones', () => {
  test('what is long and deep does not end the thread, or what else is read there', async () => {
    write('deep.yml', '['.repeat(100_000));
    write('long.yml', `nodes: [${'r1, '.repeat(20_000)} r2]`);
    const [deep, long] = await listTemplates(directory, false);
    expect(deep?.error).toMatch(/levels/);
    expect(long).toMatchObject({ valid: true, nodes: 20_001 });
  });
});

describe('whether this server can run it', () => {
  const text = 'provider: clab\nmodule: [ospf]\nnodes: { r1: { device: frr }, h1: { device: linux } }';

  test('not without the programs of its provider', async () => {
    write('lab.yml', text);
    const hasProgram = (name: string): boolean => name === 'docker';
    const [template] = await listTemplates(directory, false, { hasProgram });
    expect(template).toMatchObject({
      devices: ['frr', 'linux'],
      runnable: false,
      obstacles: ['provider clab needs containerlab, which is not installed here'],
    });
  });

  test('not without a lab CLI, and not when it is no topology', async () => {
    write('lab.yml', 'nodes: [');
    const without = 'there is no lab CLI';
    const [template] = await listTemplates(directory, false, { without });
    expect(template).toMatchObject({ valid: false, runnable: false, obstacles: [template?.error, without] });
  });
});

describe('what was read before', () => {
  const past = 1_700_000_000;
  const templates = new Templates(thread);
  const titles = async (files = machine.files): Promise<(string | null)[]> =>
    (await templates.list(directory, false, { ...machine, files })).map(({ title }) => title);

  test('is read again when its time, its size or its place on the disk changes', async () => {
    const read: unknown[] = [];
    const counting = {
      ...machine.files,
      summarize: (topology: Mapping) => {
        read.push(topology['name']);
        return netlab.topologies.summarize(topology);
      },
    };
    const file = write('lab.yml', 'name: one\nnodes: [a]');
    utimesSync(file, past, past);
    expect([await titles(counting), await titles(counting)]).toEqual([['one'], ['one']]);
    expect(read).toEqual(['one']);
    const other = write('other', 'name: two\nnodes: [a]');
    utimesSync(other, past, past);
    renameSync(other, file);
    expect(await titles(counting)).toEqual(['two']);
    writeFileSync(file, 'name: six\nnodes: [a]');
    utimesSync(file, past, past);
    expect(await titles(counting)).toEqual(['six']);
    expect(read).toEqual(['one', 'two', 'six']);
  });

  test('is read again for another lab CLI, which may see something else in it', async () => {
    const file = write('lab.yml', 'name: one\nnodes: [a]');
    utimesSync(file, past, past);
    const summarize = (topology: Mapping) => ({ ...netlab.topologies.summarize(topology), title: 'other' });
    const other = { ...machine.files, summarize };
    expect([await titles(), await titles(other), await titles()]).toEqual([['one'], ['other'], ['one']]);
  });

  test('is read again as long as it may be changed without a change of its time', async () => {
    let reads = 0;
    const summarize = (topology: Mapping) => {
      reads += 1;
      return netlab.topologies.summarize(topology);
    };
    const counting = { ...machine.files, summarize };
    const file = write('lab.yml', 'name: one\nnodes: [a]');
    const later = new Date(Date.now() + 3_600_000);
    utimesSync(file, later, later);
    expect([await titles(counting), await titles(counting), reads]).toEqual([['one'], ['one'], 2]);
  });

  test('is not shown when a link has taken its place', async () => {
    const file = write('lab.yml', 'name: one\nnodes: [a]');
    utimesSync(file, past, past);
    await titles();
    const outside = path.join(mkdtempSync(path.join(root, 'outside-')), 'secret.yml');
    renameSync(file, outside);
    symlinkSync(outside, file);
    expect(await titles()).toEqual([null]);
  });
});
