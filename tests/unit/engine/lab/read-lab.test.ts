import { describe, expect, test } from '@jest/globals';
import { errorsOf, labOf, warningsOf } from '../../../support/topologies.ts';

const routers = 'nodes: {r1: {role: router}, r2: {role: router}, h1: }';

function link(text: string) {
  const { links, nodes } = labOf(`${routers}\nlinks:\n${text}\n`);
  const [first] = links;
  const addresses = first?.ends.map(({ node, ifname }) => {
    const found = nodes.find(({ name }) => name === node)!.interfaces.find((each) => each.ifname === ifname)!;
    return `${node} ${found.ipv4 ?? '-'} ${found.ipv6 ?? '-'}`;
  });
  return { type: first?.type, prefix: first?.prefix, addresses };
}

describe('a link may be written', () => {
  test.each([
    '- r1-r2',
    '- r1 - r2',
    '- [r1, r2]',
    '- {r1: , r2: }',
    '- {interfaces: [r1, r2]}',
    '- {interfaces: [{node: r1}, {node: r2}]}',
    '- [{node: r1}, r2]',
    '- r1:\n  r2:',
    '  core: [r1-r2]',
    '  {core: {inner: [r1-r2]}}',
  ])('%j', (text) => {
    expect(link(text)).toEqual({
      type: 'p2p',
      prefix: { ipv4: '10.1.0.0/30' },
      addresses: ['r1 10.1.0.1/30 -', 'r2 10.1.0.2/30 -'],
    });
  });

  test('as one text for all links', () => {
    expect(labOf(`${routers}\nlinks: r1-r2-h1\n`).links).toHaveLength(1);
  });

  test('with a node that is called like an attribute', () => {
    const lab = labOf('{nodes: {type: {role: router}, prefix: {role: router}}, links: [{type: , prefix: }]}');
    expect(lab.links[0]?.ends.map(({ node }) => node)).toEqual(['type', 'prefix']);
  });

  test('with a prefix as text, of either family, as a map, or none', () => {
    expect(link('- {r1: , r2: , prefix: 10.9.0.0/24}').prefix).toEqual({ ipv4: '10.9.0.0/24' });
    expect(link('- {r1: , r2: , prefix: "2001:DB8:0::/64"}').prefix).toEqual({ ipv6: '2001:db8::/64' });
    expect(link('- {r1: , r2: , prefix: {ipv4: 10.9.0.0/24, ipv6: "2001:db8::/64"}}').addresses).toEqual([
      'r1 10.9.0.1/24 2001:db8::1/64',
      'r2 10.9.0.2/24 2001:db8::2/64',
    ]);
    expect(link('- {r1: , r2: , prefix: false}')).toEqual({
      type: 'p2p',
      prefix: {},
      addresses: ['r1 - -', 'r2 - -'],
    });
  });

  test('without taking part: disabled', () => {
    const lab = labOf(`${routers}\nlinks: [{r1: , r2: , disable: true}, r1-h1]`);
    expect(lab.links.map(({ linkIndex, ends }) => [linkIndex, ends[0]?.ifname])).toEqual([[1, 'eth1']]);
  });

  test('or not at all', () => expect(labOf('nodes: [a]').links).toEqual([]));
});

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
    ['clab.prefix: x', '1:1 topology attribute "clab" has no effect in the bundled engine'],
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

  test('networks that overlap, and ends of a link that do not reach each other', () => {
    const text = `${routers}\nlinks:\n- {r1: , r2: , prefix: 10.9.0.0/16}\n- {r1: , h1: , prefix: 10.9.9.0/24}\n- {r1: {ipv4: 10.2.1.1/24}, r2: {ipv4: 10.3.1.1/24}}\n`;
    expect(warningsOf(text)).toEqual([
      '4:3 10.9.9.0/24 of links[2] is in 10.9.0.0/16 of links[1]: not every address will be reached',
      '5:3 links[3] has ends in 10.2.1.0/24, 10.3.1.0/24: these do not reach each other',
    ]);
  });
});
