import { describe, expect, test } from '@jest/globals';
import { errorsOf, labOf, warningsOf } from '../../../support/topologies.ts';

const routers = 'nodes: {r1: {role: router}, r2: {role: router}, h1: }';

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
    ['version: 1.8', '1:1 topology attribute "version" has no effect in the bundled engine'],
    ['links: [{a: , bandwidth: 100}]', '1:15 link attribute "bandwidth" has no effect in the bundled engine'],
    ['plugin: bgp.session', '1:9 plugin bgp.session has no effect in the bundled engine'],
    ['plugin: [ospf.areas]', '1:10 plugin ospf.areas has no effect in the bundled engine'],
    ['clab.prefix: x', '1:1 topology attribute "clab" has no effect in the bundled engine'],
  ])('%s', (line, warning) => {
    expect(errorsOf(`${line}\nnodes: [a]\n`)).toEqual([]);
    expect(warningsOf(`${line}\nnodes: [a]\n`)).toEqual([warning]);
  });

  test('groups among the defaults are an error, and no warning beside it', () => {
    const text = 'defaults.groups: {g: {members: [a]}}\nnodes: [a]\n';
    expect(errorsOf(text)).toHaveLength(1);
    expect(warningsOf(text)).toEqual([]);
  });

  test.each([
    'defaults.warnings.nodes.roles: False',
    'provider: netns',
    'nodes.a.ansible_user: x',
    'defaults.device: linux',
  ])('%s: not even that', (line) => expect(warningsOf(`${line}\nnodes.a.role: host\n`)).toEqual([]));

  test('networks that overlap, and ends of a link that do not reach each other', () => {
    const text = `${routers}\nlinks:\n- {r1: , r2: , prefix: 10.9.0.0/16}\n- {r1: , h1: , prefix: 10.9.9.0/24}\n- {r1: {ipv4: 10.2.1.1/24}, r2: {ipv4: 10.3.1.1/24}}\n`;
    expect(warningsOf(text)).toEqual([
      '4:3 10.9.9.0/24 of links[2] is in 10.9.0.0/16 of links[1]: some addresses will be unreachable',
      '5:3 links[3] has ends in different networks, which cannot reach each other: 10.2.1.0/24, 10.3.1.0/24',
    ]);
  });
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

  test('devices, providers and plugins of the command line', () => {
    expect(labOf(text, { device: 'none' }).nodes.map(({ device }) => device)).toEqual(['none', 'none']);
    expect(warningsOf(text, { provider: 'clab:x' })).toEqual([
      '--provider clab:x: provider clab: the bundled engine uses network namespaces (netns)',
    ]);
    const options = { plugins: ['multilab'], settings: ['defaults.multilab.id=7'] };
    expect(labOf(text, options)).toMatchObject({ name: 'ml-7', instance: '7' });
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
