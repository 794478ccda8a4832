import { describe, expect, test } from '@jest/globals';
import { errorsOf, labOf, warningsOf, install, unsupported } from '../../../support/topologies.ts';

/** Per node its name and its role, by which the tests here see what reached it. */
function roles(text: string): string[] {
  return labOf(text).nodes.map(({ name, role }) => `${name} ${role}`);
}

/** The names of the nodes that the group `g`, which makes routers, has among `a`, `ab`, `b1` and `b2`. */
function members(group: string, nodes = '{a: , ab: , b1: , b2: }'): string {
  const lab = labOf(`nodes: ${nodes}\ngroups: {g: ${group}}\n`);
  const routers = lab.nodes.filter(({ role }) => role === 'router');
  return routers.map(({ name }) => name).join(' ');
}

describe('members of a group are', () => {
  test.each([
    ['[a, b1]', 'a b1'],
    ['a', 'a'],
    ['["b*"]', 'b1 b2'],
    ['["*"]', 'a ab b1 b2'],
    ['["?"]', 'a'],
    ['["[ab]"]', 'a'],
    ['["b[12]"]', 'b1 b2'],
    ['["b[!1]"]', 'b2'],
    ['["~b[0-9]"]', 'b1 b2'],
    ['["~a|b2"]', 'a b2'],
  ])('%s: %s', (list, expected) => {
    expect(members(`{members: ${list}, role: router}`)).toBe(expected);
  });

  test('nothing, without any', () => {
    expect(members('{role: router}')).toBe('');
    expect(members('{members: , role: router}')).toBe('');
    expect(members('{members: []}')).toBe('');
  });

  test('those nodes as well that name it, once, in text or a list; a group without data is none', () => {
    const nodes = '{a: {group: g}, ab: {group: [x, g]}, b1: {group: x}, b2: }';
    expect(members('{members: [a], role: router}', nodes)).toBe('a ab');
    expect(members('{role: router}', nodes)).toBe('a ab');
  });

  test('those of the groups in it, however deep', () => {
    const text = `nodes: {a: , b: , c: , d: }
groups: {outer: {members: [inner, a], role: router}, inner: {members: [z, b]}, z: [c]}`;
    expect(roles(text)).toEqual(['a router', 'b router', 'c router', 'd host']);
  });

  test('every node for "all", and the nodes of a device for its name', () => {
    expect(roles('nodes: [a, b]\ngroups: {all: {role: router}}')).toEqual(['a router', 'b router']);
    const devices = '{a: {device: none}, b: {device: linux}, c: , d: {device: linux-router}}';
    const mtus = (head: string, group: string) => {
      const lab = labOf(`${head}nodes: ${devices}\ngroups: {${group}: {mtu: 1400}}\nlinks: [a, b, c, d]\n`);
      return lab.nodes.filter(({ interfaces }) => interfaces[0]?.mtu === 1400).map(({ name }) => name);
    };
    expect(mtus('', 'none')).toEqual(['a']);
    expect(mtus('', 'linux')).toEqual(['b', 'c']);
    expect(mtus('', 'linux-router')).toEqual(['d']);
    expect(mtus('defaults.device: none\n', 'none')).toEqual(['a', 'c']);
    expect(mtus('defaults.device: none\n', 'linux')).toEqual(['b']);
    expect(mtus('defaults: {provider: netns}\n', 'linux')).toEqual(['b', 'c']);
  });
});

describe('a group makes nodes of its members', () => {
  test.each([
    ['where it says so', 'groups: {g: {_auto_create: true, members: [x, y]}}', ['x', 'y']],
    ['where all of them do', 'groups: {_auto_create: true, g: [x], h: {members: [y, x]}}', ['x', 'y']],
    [
      'beside those that are there',
      'nodes: {y: , a: }\ngroups: {g: {_auto_create: true, members: [x, y]}}',
      ['y', 'a', 'x'],
    ],
    ['but not of groups', 'groups: {g: {_auto_create: true, members: [x, h]}, h: {members: [x]}}', ['x']],
    ['with empty nodes', 'nodes:\ngroups: {g: {_auto_create: true, members: [x]}}', ['x']],
    ['behind a list of nodes', 'nodes: [a]\ngroups: {g: {_auto_create: true, members: [x]}}', ['a', 'x']],
  ])('%s', (_what, text, expected) => {
    expect(labOf(text).nodes.map(({ name }) => name)).toEqual(expected);
  });

  test('which keep what the node itself says', () => {
    const text = 'nodes: {x: {role: host}}\ngroups: {g: {_auto_create: true, members: [x, y], role: router}}';
    expect(roles(text)).toEqual(['x host', 'y router']);
  });
});

describe('what is said of a group comes to its members', () => {
  /** The loopback of node `a`. */
  const loopback = (text: string) => labOf(text).nodes.find(({ name }) => name === 'a')?.loopback;

  test('unless they say it themselves; maps are merged', () => {
    const text = (own: string, group: string) =>
      `nodes: {a: {role: router, loopback: ${own}}}\ngroups: {g: {members: [a], loopback: ${group}}}`;
    expect(loopback(text('{ipv4: 10.7.7.7/32}', '{ipv4: 10.8.8.8/32, ipv6: "2001:db8::8/128"}'))).toEqual({
      ipv4: '10.7.7.7/32',
      ipv6: '2001:db8::8/128',
    });
    expect(loopback(text('false', '{ipv4: 10.8.8.8/32}'))).toBeNull();
    expect(loopback(text('{ipv4: 10.7.7.7/32}', 'false'))).toEqual({ ipv4: '10.7.7.7/32' });
  });

  test('as a copy: another group of one member changes nothing for the others', () => {
    const text = `nodes: {a: , b: }
groups: {g: {members: [a, b], loopback: {ipv6: "2001:db8::8/128"}}, h: {members: [b], loopback: {ipv4: 10.8.8.8/32}}}`;
    expect(labOf(text).nodes.map((node) => node.loopback?.ipv4)).toEqual(['10.0.0.1/32', '10.8.8.8/32']);
  });

  test('first from the inner group, then by name, then from node_data', () => {
    const text = (groups: string) => `nodes: {a: {role: router}}\ngroups: {${groups}}`;
    const say = (address: string) => `loopback: {ipv4: 10.8.8.${address}/32}`;
    const outer = `a1: {members: [b1], ${say('1')}}`;
    expect(loopback(text(`${outer}, b1: {members: [a], ${say('2')}}`))).toEqual({ ipv4: '10.8.8.2/32' });
    expect(loopback(text(`y: {members: [a], ${say('3')}}, x: {members: [a], ${say('4')}}`))).toEqual({
      ipv4: '10.8.8.4/32',
    });
    expect(loopback(text(`x: {members: [a], ${say('5')}, node_data: {${say('6')}}}`))).toEqual({
      ipv4: '10.8.8.5/32',
    });
    expect(loopback(text(`x: {members: [a], node_data: {${say('6')}}}`))).toEqual({ ipv4: '10.8.8.6/32' });
    expect(loopback(text('x: {members: [a], node_data: 7}'))).toEqual({ ipv4: '10.0.0.1/32' });
  });

  test('and one member does not get what another says', () => {
    const text =
      'nodes: {b: {loopback: {ipv4: 10.7.7.7/32}}, a: {}}\ngroups: {g: {members: [a, b], role: router, loopback: {ipv6: "2001:db8::8/128"}}}';
    expect(loopback(text)).toEqual({ ipv4: '10.0.0.2/32', ipv6: '2001:db8::8/128' });
  });

  test('but not its name, its members and what only in netlab reads', () => {
    const text = 'nodes: [a]\ngroups: {g: {members: [a], vars: {x: 1}, box: y, type: node, name: z}}\n';
    expect(errorsOf(text)).toEqual([]);
    expect(warningsOf(text)).toEqual([
      '2:28 group attribute "vars" has no effect in the bundled engine',
      '2:42 group attribute "box" has no effect in the bundled engine',
    ]);
  });

  test('with its place: what is wrong there is said of the group', () => {
    expect(errorsOf('nodes: [a]\ngroups: {g: {members: [a], role: 7}}\n')).toEqual([
      '2:34 nodes.a.role must be one of host, router, gateway, not 7',
    ]);
  });
});

describe('no groups', () => {
  test.each(['', 'groups:\n', 'groups: {}\n', 'groups: {_x: 7}\n', 'groups: {all: {}, linux: {box: x}}\n'])(
    '%j',
    (groups) => {
      expect(errorsOf(`nodes: [a]\n${groups}`)).toEqual([]);
    },
  );

  test('nor nodes are made where one of them is wrong', () => {
    expect(errorsOf('nodes: 7\ngroups: {g: [a]}\n')).toEqual([
      '1:8 nodes must be a list of names, or a map of names',
    ]);
    expect(errorsOf('nodes: {a: 7}\ngroups: {g: {members: [a], role: router}}\n')).toEqual([
      '1:12 nodes.a must be a map, or empty',
    ]);
    expect(errorsOf('groups: {g: {role: router}}\n')).toEqual([
      '1:9 there are no nodes: a topology needs at least one',
    ]);
  });
});

describe('every error in groups, with line and column', () => {
  const none = (word: string) =>
    `groups.g: "${word}" is neither a node nor a group (_auto_create: True makes nodes of members)`;

  test('of every kind', () => {
    const text =
      'nodes: [a, b]\ngroups:\n  g: 7\n  h:\n  a: [b]\n  i: {members: [c], rol: host}\n  j: {module: [bgp], members: [a]}\n  k: {members: [l]}\n  l: {members: [k]}\n  m: {type: vlan}\n  all: [a]\n';
    expect(errorsOf(text)).toEqual([
      '3:6 groups.g must be a map, or a list of members',
      '4:3 groups.h must be a map, or a list of members',
      '5:3 groups.a: a node has the same name',
      '6:16 groups.i: "c" is neither a node nor a group (_auto_create: True makes nodes of members)',
      '6:21 unknown group attribute "rol"; did you mean "role"?',
      `7:7 "module" is an attribute of netlab ${unsupported}`,
      '8:3 groups.k contains a circle of groups',
      `10:13 groups.m: the bundled engine supports only groups of nodes; ${install}`,
      '11:3 the members of groups.all cannot be set',
    ]);
  });

  test.each([
    ['7', ['2:9 groups must be a map']],
    ['{linux: [a]}', ['2:10 the members of groups.linux cannot be set']],
    ['{g: {members: 7}}', ['2:23 groups.g.members must be a list of names']],
    ['{g: [a, 7]}', ['2:13 groups.g.members must be a list of names']],
    ['{g: ["x*"]}', [`2:13 ${none('x*')}`]],
    ['{g: ["~b"]}', [`2:13 ${none('~b')}`]],
    ['{g: ["a(*"]}', [`2:13 ${none('a(*')}`]],
    ['{g: ["a.*"]}', [`2:13 ${none('a.*')}`]],
    ['{g: ["."]}', [`2:13 ${none('.')}`]],
  ])('%s', (groups, errors) => {
    expect(errorsOf(`nodes: [a, ab]\ngroups: ${groups}\n`)).toEqual(errors);
  });
});
