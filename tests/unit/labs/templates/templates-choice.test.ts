import { beforeEach, describe, expect, test } from '@jest/globals';
import { mkdtempSync, renameSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { engine } from '../../../../src/labs/drivers/engine/engine.ts';
import { netlab } from '../../../../src/labs/drivers/netlab/netlab.ts';
import { TemplateThread } from '../../../../src/labs/templates/template-thread.ts';
import { Templates } from '../../../../src/labs/templates/templates.ts';
import type { Mapping } from '../../../../src/lib/mapping.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();
/** For few files it is not started. */
const thread = new TemplateThread(new AbortController().signal);
const machine = { files: netlab.topologies, hasProgram: () => true, without: undefined };
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(path.join(root, 'templates-'));
});

function write(name: string, text: string): string {
  const file = path.join(directory, name);
  writeFileSync(file, text);
  return file;
}

describe('whether this server can run it', () => {
  const text = 'provider: clab\nmodule: [ospf]\nnodes: { r1: { device: frr }, h1: { device: linux } }';

  test('not without the programs of its provider', async () => {
    write('lab.yml', text);
    const hasProgram = (name: string): boolean => name === 'docker';
    const [template] = await new Templates(thread).list(directory, false, { ...machine, hasProgram });
    expect(template).toMatchObject({
      devices: ['frr', 'linux'],
      runnable: false,
      obstacles: ['provider clab needs containerlab, which is not installed here'],
    });
  });

  test('not with what the bundled engine does not have', async () => {
    write('lab.yml', text);
    const [template] = await new Templates(thread).list(directory, false, {
      ...machine,
      files: engine.topologies,
    });
    expect(template?.obstacles).toEqual([
      'the bundled engine has no device "frr", but linux, linux-router, none',
      'the bundled engine has no "module"',
    ]);
  });

  test('not without a lab CLI, and not when it is no topology', async () => {
    write('lab.yml', 'nodes: [');
    const without = 'there is no lab CLI';
    const [template] = await new Templates(thread).list(directory, false, { ...machine, without });
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
