import { beforeEach, describe, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { instanceOf, topologyFiles } from '../../../../../src/labs/drivers/containerlab/topology-files.ts';
import { isMapping } from '../../../../../src/lib/mapping.ts';
import type { LabEntry } from '../../../../../src/labs/drivers/status-driver.ts';
import { container, recorded } from '../../../../support/containerlab-recorded.ts';
import { temporaryDirectory } from '../../../../support/temporary-directory.ts';

const root = temporaryDirectory();
let workdir: string;

beforeEach(() => {
  workdir = mkdtempSync(path.join(root, 'case-'));
});

const write = (name: string, text = 'name: demo\n'): void => writeFileSync(path.join(workdir, name), text);

test('topologies are found by the ends of their names, in order', async () => {
  for (const name of ['b.clab.yml', 'a.clab.yaml', 'clab.yml', 'x.yml', 'c.clab.yml.bak', 'd.clab.json'])
    write(name);
  expect(await topologyFiles.candidates(workdir)).toEqual(['a.clab.yaml', 'b.clab.yml']);
  expect(await topologyFiles.candidates(path.join(workdir, 'nowhere'))).toEqual([]);
  expect(['x.clab.yml', '.clab.yml', 'x.clab.yaml'].map(topologyFiles.isName)).toEqual([true, true, true]);
  expect(['xclab.yml', 'x.clab.YML', 'clab.yml'].map(topologyFiles.isName)).toEqual([false, false, false]);
});

const nameOf = async (topologyText?: string) => instanceOf({ options: {}, topologyText });

describe('the name of a lab', () => {
  test.each([
    ['name: demo\n', 'demo'],
    ['name: demo', 'demo'],
    ['name: demo\r\ntopology: {}\r\n', 'demo'],
    ['# a lab\n\nname:   demo   # ours\ntopology:\n', 'demo'],
    ['name: "demo"\n', 'demo'],
    ["name: 'demo' # x\n", 'demo'],
    ['"name": demo\n', 'demo'],
    ['name : demo\n', 'demo'],
    ['name: 2024\n', '2024'],
    ['name: a.b-c_d\n', 'a.b-c_d'],
    ['topology:\n  nodes: {}\nname: demo\n', 'demo'],
    ['name: demo\ntopology:\n  nodes:\n{{ range $i }}\n    n{{ $i }}: {}\n{{ end }}\n', 'demo'],
    [recorded('demo.clab.yml'), 'ct-demo'],
    [JSON.stringify({ name: 'demo', topology: {} }, null, 2), 'demo'],
    ['name:\n  demo\n', 'demo'],
    ['{ topology: {}, name: demo }', 'demo'],
    ['!!str name: demo\n', 'demo'],
    ['topology:\n  name: x\n', null],
    ['name: {{ .name }}\n', null],
    ['name: "{{ .name }}"\n', null],
    ['name: ${LAB}\n', null],
    ['name: a b\n', null],
    ['name: ../x\n', null],
    ['name: -x\n', null],
    ['name: ""\n', null],
    ['names: demo\n', null],
    ['', null],
    ['[[[', null],
    ['\uFEFFname: demo\n', 'demo'],
    // No end of a line in YAML.
    ['# dc\u2028name: dc1\nname: dc2\n', 'dc2'],
    ['name: dc1#2\n', null],
  ])('of %j is %p', async (text, name) => {
    expect(await nameOf(text)).toBe(name);
  });

  test('of a line of blanks takes no time: an expression with a choice takes minutes for it', async () => {
    expect(await nameOf(`name: a${' '.repeat(500_000)}b\n`)).toBeNull();
  });

  test('of a text that is too long to be parsed has to stand in a line of its own', async () => {
    const filler = `#${'x'.repeat(128 * 1024)}\n`;
    expect(await nameOf(`${filler}name: demo\n`)).toBe('demo');
    expect(await nameOf(`${filler}"name": demo\n`)).toBeNull();
    expect(await nameOf()).toBeNull();
  });
});

describe('the topology of a lab', () => {
  const entryWith = (...labs: readonly unknown[]) => ({ name: 'demo', containers: labs });
  const fileOf = async (entry: LabEntry | undefined) =>
    topologyFiles.fileOf?.({ instance: 'demo', workdir, entry });

  test('is the file that it was deployed from, as long as that is there', async () => {
    const entry = entryWith(container('r1', workdir, 'demo'));
    expect(await fileOf(entry)).toBeUndefined();
    write('demo.clab.yml', 'name: demo\n');
    expect(await fileOf(entry)).toBe(path.join(workdir, 'demo.clab.yml'));
    // `redeploy` would destroy that one, whatever `--name` says (0.79).
    write('demo.clab.yml', 'name: of-somebody-else\n');
    expect(await fileOf(entry)).toBeUndefined();
  });

  test('is else one in its directory that names it', async () => {
    write('a.clab.yml', 'name: another\n');
    for (const entry of [undefined, entryWith(), entryWith(7)]) expect(await fileOf(entry)).toBeUndefined();
    write('b.clab.yml', 'name: demo\n');
    for (const entry of [undefined, entryWith(container('r1', '/nowhere', 'demo'))])
      expect(await fileOf(entry)).toBe(path.join(workdir, 'b.clab.yml'));
  });
});

describe('the lab of a directory', () => {
  const labOf = async () => topologyFiles.labOf?.(workdir);

  test('is that of the one directory that was left', async () => {
    mkdirSync(path.join(workdir, 'clab-demo'));
    write('x.clab.yml', 'name: another\n');
    write('clab-file', '');
    expect(await labOf()).toBe('demo');
    mkdirSync(path.join(workdir, 'clab-more'));
    expect(await labOf()).toBeUndefined();
  });

  test.each(['clab-', 'clab-a,b', 'clab-a b', 'clab--all', 'clab-.x'])('%s is left by none', async (name) => {
    mkdirSync(path.join(workdir, name));
    expect(await labOf()).toBeUndefined();
    write('x.clab.yml');
    expect(await labOf()).toBe('demo');
  });

  test('is the one that its topologies name', async () => {
    expect(await labOf()).toBeUndefined();
    write('x.clab.yml');
    write('y.clab.yaml', 'name: "demo"\n');
    write('nameless.clab.yml', 'topology: {}\n');
    write('other.yml', 'name: other\n');
    expect(await labOf()).toBe('demo');
    write('z.clab.yml', 'name: another\n');
    expect(await labOf()).toBeUndefined();
  });

  test('is none where nothing can be read', async () => {
    mkdirSync(path.join(workdir, 'x.clab.yml'));
    expect(await labOf()).toBeUndefined();
    workdir = path.join(workdir, 'nowhere');
    expect(await labOf()).toBeUndefined();
  });
});

describe('what a topology says', () => {
  const summary = (text: string) => {
    const document: unknown = parse(text);
    return topologyFiles.summarize(isMapping(document) ? document : {});
  };
  const nothing = {
    title: null,
    description: null,
    provider: 'clab',
    device: null,
    devices: [],
    nodes: 0,
    links: 0,
    unsupported: [],
  };

  test('of its nodes and links', () => {
    expect(summary(recorded('demo.clab.yml'))).toEqual({
      ...nothing,
      title: 'ct-demo',
      devices: ['linux'],
      nodes: 4,
      links: 3,
    });
  });

  test('of kinds by default, and of groups', () => {
    const text = `
topology:
  defaults: { kind: linux }
  groups: { spines: { kind: nokia_srlinux }, odd: 7 }
  nodes: { a: , b: { kind: ceos }, c: { group: spines } }
`;
    expect(summary(text)).toEqual({
      ...nothing,
      device: 'linux',
      devices: ['ceos', 'nokia_srlinux', 'linux'],
      nodes: 3,
    });
  });

  test.each(['{}', 'topology: { nodes: [a], links: 7, defaults: x }', 'name: [x]'])(
    'of %s nothing is known',
    (text) => {
      expect(summary(text)).toEqual(nothing);
    },
  );

  test('needs Docker', () => {
    expect(topologyFiles.missing({ provider: 'clab' }, () => true)).toEqual([]);
    expect(topologyFiles.missing({ provider: 'clab' }, (name) => name !== 'docker')).toEqual([
      expect.stringContaining('docker'),
    ]);
  });
});
