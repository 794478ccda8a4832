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

describe('nodes', () => {
  test('are hosts unless they say otherwise', () => {
    const lab = labOf(
      'nodes: {a: , b: {device: linux-router}, c: {role: router}, d: {device: linux, role: host}}',
    );
    expect(lab.nodes.map(({ role, device }) => `${role} ${device}`)).toEqual([
      'host linux',
      'router linux-router',
      'router linux',
      'host linux',
    ]);
  });

  test('count around the ids that are given', () => {
    const lab = labOf('nodes: {a: , b: {id: 1}, c: , d: {id: 3}, e: }');
    expect(lab.nodes.map(({ id }) => id)).toEqual([2, 1, 4, 3, 5]);
  });

  test('called like booleans of YAML 1.1 need quotes, but y and n do not, as in netlab', () => {
    const names = ['y', 'n', 'on', 'yes'];
    expect(labOf('nodes: {y: , n: , "on": , "yes": }').nodes.map(({ name }) => name)).toEqual(names);
    expect(labOf('nodes: [y, n, "on", "yes"]').nodes.map(({ name }) => name)).toEqual(names);
  });

  test('share attributes through aliases and merge keys', () => {
    const lab = labOf(
      'nodes:\n  r1: &r {role: router}\n  r2: *r\n  r3: {<<: *r, id: 9}\n  h: {<<: [*r, *r], role: host}\n',
    );
    expect(lab.nodes.map(({ role, id }) => `${role} ${id}`)).toEqual([
      'router 1',
      'router 2',
      'router 9',
      'host 3',
    ]);
  });

  test('beyond 150 work, with a warning that netlab wants to be told', () => {
    const text = (head: string) =>
      `${head}nodes: [${Array.from({ length: 151 }, (_, index) => `n${index}`).join(', ')}]\n`;
    expect(warningsOf(text(''))).toEqual([
      expect.stringMatching(
        /^1:\d+ netlab refuses ids above 150 unless defaults.const.MAX_NODE_ID is higher$/,
      ),
    ]);
    expect(warningsOf(text('defaults.const.MAX_NODE_ID: 200\n'))).toEqual([]);
  });
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

describe('the command line adds to the file', () => {
  const text = 'name: x\nnodes: [r1, {name: h1}]\nlinks: [r1-h1]\n';

  test('settings, also of nodes in a list', () => {
    const settings = [
      'name=y',
      'nodes.r1.role=router',
      'nodes.r1.id=9',
      'addressing.lan.ipv4=10.4.0.0/16',
      'message=a=b',
    ];
    const lab = labOf(text, { settings });
    expect(lab).toMatchObject({ name: 'y', message: 'a=b' });
    expect(lab.nodes[0]).toMatchObject({ role: 'router', id: 9, loopback: { ipv4: '10.0.0.9/32' } });
    expect(lab.links[0]?.prefix).toEqual({ ipv4: '10.4.0.0/24' });
  });

  test('the last of two settings wins; true and false are no text', () => {
    expect(labOf(text, { settings: ['name=y', 'name=z'] }).name).toBe('z');
    expect(
      labOf(text, { settings: ['nodes.r1.role=router', 'nodes.r1.loopback=False'] }).nodes[0]?.loopback,
    ).toBeNull();
  });

  test('a plugin beside those of the file, with its setting', () => {
    expect(labOf(text, { plugins: ['multilab'], settings: ['defaults.multilab.id=7'] }).instance).toBe('7');
    expect(errorsOf(text, { plugins: ['fabric'] })).toEqual([
      '--plugin fabric: plugin "fabric" is not in the bundled engine; netlab runs it: install netlab',
    ]);
  });

  test('device and provider', () => {
    expect(labOf(text, { device: 'linux-router' }).nodes.map(({ role }) => role)).toEqual([
      'router',
      'router',
    ]);
    expect(errorsOf(text, { device: 'eos' })).toEqual([
      '--device eos: device "eos": the bundled engine has linux, linux-router and none only; netlab runs it: install netlab',
    ]);
    expect(warningsOf(text, { provider: 'clab:x' })).toEqual([
      '--provider clab:x: provider clab: the bundled engine uses network namespaces (netns)',
    ]);
  });

  test.each([
    ['name', '--set name: a setting has the form name=value'],
    ['=x', '--set =x: a setting has the form name=value'],
    ['nodes..id=1', '--set nodes..id=1: "nodes..id" is not a setting: name the attribute, as in name=lab1'],
    [
      'links.x.type=lan',
      '--set links.x.type=lan: "links" is not a map in the topology: a setting cannot change it',
    ],
    ['nodes.r1.id=0', '--set nodes.r1.id=0: nodes.r1.id must be a whole number from 1 to 65535, not 0'],
    ['nodes.r1.rol=x', '--set nodes.r1.rol=x: unknown node attribute "rol"; did you mean "role"?'],
    [
      'module=ospf',
      '--set module=ospf: "module" is an attribute of netlab that the bundled engine does not support; netlab runs it: install netlab',
    ],
  ])('%s is refused', (setting, message) => {
    expect(errorsOf(text, { settings: [setting] })).toEqual([message]);
  });

  test('no setting reaches the prototype of anything', () => {
    labOf(text, { settings: ['__proto__.polluted=1', 'nodes.r1.__proto__.polluted=1'] });
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});
