import { beforeEach, describe, expect, test } from '@jest/globals';
import { mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { EngineError } from '../../../../src/engine/core/engine-error.ts';
import { readTestsFrom } from '../../../../src/engine/lab/read-test-file.ts';
import { handMadeLab, triangle } from '../../../support/engine-lab.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();
const lab = handMadeLab({ links: triangle });
const [node = ''] = lab.nodes.map(({ name }) => name);
let file: string;
let printed: string;

beforeEach(() => {
  file = path.join(mkdtempSync(path.join(root, 'lab-')), 'tests.yml');
  printed = '';
});

async function read(text: string, kind: 'tests' | 'topology' = 'tests') {
  writeFileSync(file, text);
  return readTestsFrom({ err: (more) => (printed += more) }, { file, kind }, lab);
}

/** Why there are no tests: the sentence, and the lines above it. */
async function refusalOf(
  reading: Promise<unknown>,
): Promise<{ message: string; details: readonly string[] }> {
  const error: unknown = await reading.catch((reason: unknown) => reason);
  if (!(error instanceof EngineError)) throw new Error('it was read', { cause: error });
  return error;
}

const ping = `{plugin: "ping('${node}')", nodes: ${node}}`;
const named = (...names: readonly string[]) => names.map((name) => ({ name }));

describe('tests', () => {
  test('stand in a file of their own, or in a topology', async () => {
    expect(await read(`one: ${ping}\ntwo: ${ping}\n`)).toMatchObject(named('one', 'two'));
    const topology = `nodes: [x]\nlinks: []\nvalidate: {one: ${ping}}\n`;
    for (const kind of ['tests', 'topology'] as const)
      expect(await read(topology, kind)).toMatchObject(named('one'));
  });

  test('of a topology may wait as long as its defaults say', async () => {
    const text = 'defaults.const.validate.soon: 7\nvalidate: {pause: {wait: soon}}\n';
    expect(await read(text)).toMatchObject([{ name: 'pause', wait: 7 }]);
    const { message } = await refusalOf(read('defaults: none\nvalidate: {pause: {wait: soon}}\n'));
    expect(message).toContain('defaults.const.validate has no time soon');
  });

  test('are none in a topology without them, and that is said of a file that was to have some', async () => {
    for (const text of ['nodes: [x]\n', 'links: [x]\n']) {
      expect(await read(text, 'topology')).toEqual([]);
      const { message } = await refusalOf(read(text));
      expect(message).toContain(`${file}: The source file contains "nodes" or "links" but no "validate"`);
    }
  });

  test('are about the nodes of the lab, whatever nodes the file has', async () => {
    const { message } = await refusalOf(
      read('nodes: [x]\nvalidate: {one: {exec: ls, devices: [linux], nodes: x}}\n'),
    );
    expect(message).toContain('there is no node x');
  });
});

describe('what is wrong', () => {
  test('is reported with its place, each error', async () => {
    const { message, details } = await refusalOf(read(`one: 7\ntwo: ${ping}\nthree: {}\n`));
    expect(details.length).toBeGreaterThan(1);
    expect(details[0]).toMatch(/: validate\.one must be a map$/);
    for (const line of details) expect(line).toMatch(/tests\.yml:\d+:\d+: /);
    expect(message).toBe(`${details[0]}; and ${details.length - 1} more errors`);
  });

  test('is a file that is not there, or is none', async () => {
    const gone = path.join(path.dirname(file), 'gone.yml');
    const asked = readTestsFrom({ err: () => undefined }, { file: gone, kind: 'tests' }, lab);
    expect((await refusalOf(asked)).message).toMatch(/^cannot read the tests: .*ENOENT/);
    const directory = { file: path.dirname(file), kind: 'tests' } as const;
    const other = readTestsFrom({ err: () => undefined }, directory, lab);
    expect((await refusalOf(other)).message).toMatch(/^cannot read the tests: /);
    expect((await refusalOf(read('one: ['))).details).toHaveLength(1);
  });

  test('but not so wrong is a warning, and the tests are read', async () => {
    const text = `one: {plugin: "bgp('x')", nodes: ${node}}\n`;
    expect(await read(text)).toMatchObject(named('one'));
    expect(printed).toMatch(/^\/.*\/tests\.yml:1:\d+: validate\.one is skipped: .*\n$/);
  });
});
