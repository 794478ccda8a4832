import { describe, expect, test } from '@jest/globals';
import {
  errorsOf,
  install,
  labOf,
  unsupported,
  warningsOf,
  type RefusedTopology,
} from '../../../support/topologies.ts';

describe('the head of a topology', () => {
  test.each([
    ['/home/u/My-Lab_7', 'MyLab7'],
    ['/home/u/2024-lab', 'lab'],
    ['/home/u/a-very-long-directory', 'averylongdir'],
    ['/home/u/---', 'default'],
    ['/', 'default'],
  ])('without name, in %s: %s', (directory, name) => {
    expect(labOf('nodes: [a]', { directory }).name).toBe(name);
  });

  test('is kept: name, message, provider', () => {
    const lab = labOf('name: demo\nmessage: |\n  Two lines:\n  - x\nprovider: netns\nnodes: [a]\n');
    expect(lab).toMatchObject({
      name: 'demo',
      message: 'Two lines:\n- x\n',
      provider: 'netns',
      instance: 'default',
    });
    expect(labOf('nodes: [a]').message).toBeNull();
  });

  test('with plugin multilab: name and instance come from its id, as in netlab', () => {
    const lab = labOf('name: demo\nnodes: [a]\nplugin: [multilab]\ndefaults.multilab.id: 7\n');
    expect(lab).toMatchObject({ name: 'ml-7', instance: '7' });
  });

  test('with the id of multilab, and without the plugin: they do not', () => {
    const lab = labOf('name: demo\nnodes: [a]\ndefaults.multilab.id: 7\n');
    expect(lab).toMatchObject({ name: 'demo', instance: 'default' });
  });

  test('has tests only where the topology has some', () => {
    expect(labOf('nodes: [a]\nvalidate: {}\n')).not.toHaveProperty('tests');
  });
});

describe('what has no effect is a warning', () => {
  test.each([
    ['provider: clab', '1:11 provider clab: the bundled engine uses network namespaces (netns)'],
    [
      'defaults.provider: libvirt',
      '1:20 provider libvirt: the bundled engine uses network namespaces (netns)',
    ],
    ['defaults.foo.bar: 1', '1:1 defaults.foo has no effect in the bundled engine'],
    ['defaults: {device: linux, paths: {}}', '1:27 defaults.paths has no effect in the bundled engine'],
    ['defaults.multilab.id: 3', '1:23 defaults.multilab.id has no effect without plugin: [multilab]'],
    ['links: [{a: , bandwidth: 100}]', '1:15 link attribute "bandwidth" has no effect in the bundled engine'],
    ['plugin: bgp.session', '1:9 plugin bgp.session has no effect in the bundled engine'],
  ])('%s', (line, warning) => {
    expect(errorsOf(`${line}\nnodes: [a]\n`)).toEqual([]);
    expect(warningsOf(`${line}\nnodes: [a]\n`)).toEqual([warning]);
  });

  test.each([
    'defaults.warnings.nodes.roles: False',
    'provider: netns',
    'nodes.a.ansible_user: x',
    'defaults.device: linux',
  ])('%s: not even that', (line) => expect(warningsOf(`${line}\nnodes.a.role: host\n`)).toEqual([]));
});

describe('all parts of a topology come together', () => {
  const text = `name: x
nodes: [a, {name: b}]
groups: {g: {members: [b], role: router}}
prefix: {core: {ipv4: 10.9.0.0/24}}
links: [{a: , b: , prefix: core}]
defaults.const.validate.soon: 7
validate: {t: {wait: soon, nodes: [b]}}
`;

  test('nodes in a list, groups, prefixes, tests and what the command line says', () => {
    const lab = labOf(text, { settings: ['nodes.a.id=9', 'name=y'] });
    expect(lab.name).toBe('y');
    expect(lab.nodes.map(({ name, id, role }) => `${name} ${id} ${role}`)).toEqual([
      'a 9 host',
      'b 1 router',
    ]);
    expect(lab.nodes[0]?.interfaces).toEqual([
      { ifname: 'eth1', linkIndex: 1, type: 'lan', ipv4: '10.9.0.9/24' },
    ]);
    expect(lab.nodes[0]?.routes.map(({ to, via }) => `${to} ${via}`)).toContain('172.16.0.0/16 10.9.0.1');
    expect(lab.tests).toMatchObject([{ name: 't', wait: 7, nodes: ['b'] }]);
  });

  test('errors of each part at once; addresses are given only where nodes and pools are right', () => {
    const wrong =
      'nodes: [9a, b]\naddressing: {lan: 7}\nprefix: 7\nlinks: [b-x, {b: {ipv4: 300}}]\nvalidate: 7\n';
    expect(errorsOf(wrong).map((error) => error.split(' ')[0])).toEqual([
      '1:9',
      '2:19',
      '3:9',
      '4:9',
      '5:11',
    ]);
  });
});

const cases: readonly RefusedTopology[] = [
  {
    name: 'attributes of netlab, each with its line',
    text: 'nodes: {a: {module: [ospf], config: [x]}}\nmodule: [bgp]\nbgp.as: 65000\nlinks: [{a: {ifindex: 3}, vlans: 1}]\n',
    errors: [
      `1:13 "module" is an attribute of netlab ${unsupported}`,
      `1:29 "config" is an attribute of netlab ${unsupported}`,
      `2:1 "module" is an attribute of netlab ${unsupported}`,
      `3:1 "bgp" is an attribute of netlab ${unsupported}`,
      `4:14 "ifindex" is an attribute of netlab ${unsupported}`,
      `4:27 "vlans" is an attribute of netlab ${unsupported}`,
    ],
  },
  {
    name: 'groups in the defaults, which netlab takes, without a warning as well',
    text: 'nodes: [a]\ndefaults.groups: {g: {members: [a], role: router}}\n',
    errors: [`2:1 groups in defaults are not supported: put them next to nodes; ${install}`],
  },
  {
    name: 'nodes that a group with a module makes: the module, not that there are no nodes',
    text: 'groups:\n  _auto_create: True\n  g: {members: [a, b], module: [ospf]}\nlinks: [a-b]\n',
    errors: [`3:24 "module" is an attribute of netlab ${unsupported}`],
  },
  {
    name: 'the head of the topology',
    text: 'name: 7\nmessage: [a]\ndefaults: 3\nnodes: [a]\n',
    errors: ['1:7 name must be a word, not 7', '2:10 message must be text', '3:11 defaults must be a map'],
  },
  {
    name: 'plugins',
    text: 'nodes: [a]\nplugin: [multilab, fabric]\n',
    errors: [
      '2:9 plugin multilab needs defaults.multilab.id',
      `2:20 the bundled engine does not support plugin "fabric"; ${install}`,
    ],
  },
  {
    name: 'multilab ids',
    text: 'nodes: [a]\nplugin: multilab\ndefaults.multilab.id: 201\n',
    errors: [
      '2:9 plugin multilab needs defaults.multilab.id',
      '3:23 defaults.multilab.id must be a whole number from 1 to 200, not 201',
    ],
  },
];

describe('every error, with line and column', () => {
  test.each(cases)('$name', ({ text, errors }) => {
    expect(errorsOf(text)).toEqual(errors);
    expect(errorsOf(text.replaceAll('\n', '\r\n'))).toEqual(errors);
    expect(warningsOf(text)).toEqual([]);
  });

  test('another kind of file: the first error of the YAML parser, on one line', () => {
    const errors = errorsOf(`# Text\n\n*What* it is: it\nis a \`x: y\` ${'long '.repeat(200)}\n- [x\n`);
    expect(errors).toEqual([expect.stringMatching(/^\d+:\d+ .{1,201}$/)]);
  });
});
