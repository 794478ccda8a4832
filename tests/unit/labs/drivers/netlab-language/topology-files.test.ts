/** What netlab reads in a topology without being asked: names, the instance, the words about a lab. */
import { describe, expect, test } from '@jest/globals';
import { instanceOf, topologyFiles } from '../../../../../src/labs/drivers/netlab-language/topology-files.ts';
import { maxParsedLength } from '../../../../../src/lib/text/yaml-depth.ts';

const { labNameFrom, missing: missingPrograms, summarize: summarizeTopology } = topologyFiles;

describe('a file', () => {
  const clab = { name: 'ml-12', prefix: 'clab', mgmt: { network: 'nl_mgmt_12' }, topology: { nodes: {} } };
  const snapshot = { _netlab_version: '26.10', nodes: { a: {} } };

  test.each([
    ['clab.yml', clab],
    ['clab-augment.yml', clab],
    ['hosts.yml', { all: { hosts: {} }, linux: { hosts: {} } }],
    ['ansible-inventory.yml', { all: { vars: {} } }],
    ['netlab.snapshot.yml', snapshot],
  ])('%s of netlab is known by its parts', (name, document) => {
    expect(topologyFiles.isMade?.(name, document)).toBe(true);
    expect(topologyFiles.isMade?.(name, { nodes: ['a'], all: {} })).toBe(false);
    expect(topologyFiles.isMade?.(name, { name: 'unfinished' })).toBe(false);
  });

  test('of another name may look like one', () => {
    expect(topologyFiles.isMade?.('lab.yml', clab)).toBe(false);
  });
});

describe('the instance', () => {
  const instance = (topologyText: string | undefined, options = {}) => instanceOf({ options, topologyText });

  test.each([
    ['defaults.multilab.id: 7', '7'],
    ['defaults: {multilab: {id: seven}}', 'seven'],
    ['defaults: {multilab.id: 7}', '7'],
    ['defaults.multilab: {id: 7}', '7'],
    // The first way leads nowhere, the second does.
    ['defaults.multilab: {name: 1}\ndefaults: {multilab: {id: 7}}', '7'],
    ['defaults.multilab: 1\ndefaults: {multilab: {id: 7}}', '7'],
    // What is set twice counts as it was set last, and merge keys are read.
    ['x: &x {multilab: {id: 8}}\ndefaults: {<<: *x}', '8'],
    ['defaults: {multilab: {id: 1}}\ndefaults: {multilab: {id: 2}}', '2'],
    ['defaults.multilab.id: 0', '0'],
  ])('of %j', async (text, id) => expect(await instance(text)).toBe(id));

  test.each([
    undefined,
    '',
    'nodes: [a]',
    'defaults.multilab.id: ""',
    'defaults.multilab.id: [1]',
    'defaults.multilab.id: true',
    'defaults.multilab.id.x: 7',
    '[{defaults.multilab.id: 7}]',
    'multilab: [',
    'multilab: {id: 7}',
    `multilab: ${'['.repeat(5_000)}`,
  ])('of %j is the default', async (text) => expect(await instance(text)).toBe('default'));

  test('of a text that is too long to be read here is the default', async () => {
    const padded = (length: number): string => 'defaults.multilab.id: 7\n#'.padEnd(length, 'x');
    expect(await instance(padded(maxParsedLength))).toBe('7');
    expect(await instance(padded(maxParsedLength + 1))).toBe('default');
  });

  test('is first what the request says', async () => {
    const text = 'defaults.multilab.id: 7';
    expect(await instance(text, { multilabId: 1, set: { 'defaults.multilab.id': '2' } })).toBe('1');
    expect(await instance(text, { set: { 'defaults.multilab.id': '2' } })).toBe('2');
    expect(await instance(text, { set: { 'defaults.device': 'frr' } })).toBe('7');
  });
});

test.each([
  ['/labs/demo', 'demo'],
  ['/labs/My Lab_01', 'MyLab01'],
  ['/labs/abcdefghijklmnop', 'abcdefghijkl'],
  ['/labs/...', 'default'],
  ['/', 'default'],
  ['/labs/1a', 'lab1a'],
  ['/labs/123456789012', 'lab123456789'],
  ['/labs/null', 'labnull'],
  ['/labs/e1', 'e1'],
  ['/labs/\u00e4b', 'b'],
])('a lab in %s is called %s', async (directory, name) => expect(await labNameFrom?.(directory)).toBe(name));

describe('what a topology says of its lab', () => {
  test('is its own words and how much there is', () =>
    expect(
      summarizeTopology({
        title: ' A lab ',
        name: 'demo',
        description: 'of two',
        provider: 'clab',
        defaults: { device: 'frr' },
        nodes: { a: null, b: null },
        links: ['a-b'],
      }),
    ).toEqual({
      title: 'A lab',
      description: 'of two',
      provider: 'clab',
      device: 'frr',
      devices: ['frr'],
      nodes: 2,
      links: 1,
      unsupported: [],
    }));

  test('without a title is its name; of the rest nothing', () => {
    const words = { title: null, description: null, provider: null, device: null };
    const nothing = { ...words, devices: [], nodes: 0, links: 0, unsupported: [] };
    expect(summarizeTopology({})).toEqual(nothing);
    expect(summarizeTopology({ name: 'demo', title: ' ' })).toEqual({ ...nothing, title: 'demo' });
    expect(summarizeTopology({ title: 7, description: true, nodes: 'a', links: 3 })).toEqual({
      ...nothing,
      title: '7',
    });
  });
});

const needs = (provider: string, ...programs: readonly string[]) =>
  programs.map((program) => `provider ${provider} needs ${program}, which is not installed here`);

test.each([
  ['clab', needs('clab', 'containerlab', 'docker')],
  ['libvirt', needs('libvirt', 'vagrant', 'virsh')],
  ['virtualbox', needs('virtualbox', 'vagrant', 'VBoxManage')],
  // Of what is not known, nothing is said: a plugin may bring it.
  ['external', []],
  ['constructor', []],
  [null, []],
])('on a machine with nothing, provider %s', (provider, missing) => {
  expect(missingPrograms({ provider }, () => false)).toEqual(missing);
});

test('what is there is not missing', () => {
  const has = (program: string): boolean => program === 'docker';
  expect(missingPrograms({ provider: 'clab' }, has)).toEqual(needs('clab', 'containerlab'));
});

test.each<[object, string | null]>([
  [{ provider: 'libvirt', defaults: { provider: 'clab' } }, 'libvirt'],
  [{ provider: ' ', defaults: { provider: 'clab' } }, 'clab'],
  [{ 'defaults.provider': 'clab' }, 'clab'],
  [{ provider: ['clab'] }, null],
])('the provider of %j', (topology, provider) => {
  expect(summarizeTopology({ ...topology }).provider).toBe(provider);
});

test.each<[object, readonly string[]]>([
  [{ nodes: { a: { device: 'frr' }, b: { device: 'frr' } } }, ['frr']],
  [{ nodes: { a: { device: ' ' }, b: null, c: 'frr' } }, []],
  [{ nodes: {}, 'defaults.device': 'eos' }, []],
  [{ nodes: ['a'], 'defaults.device': 'eos' }, ['eos']],
  [{ 'defaults.device': 'eos' }, ['eos']],
  [{ nodes: { a: { device: 'frr' } }, groups: { g: { device: 'linux' }, h: null } }, ['frr', 'linux']],
  [{ nodes: { a: {} }, groups: ['g'], 'defaults.device': 7 }, ['7']],
])('the devices of %j', (topology, devices) => {
  expect(summarizeTopology({ ...topology }).devices).toEqual(devices);
});
