import { describe, expect, test } from '@jest/globals';
import {
  errorsOf,
  labOf,
  warningsOf,
  install,
  unsupported,
  type RefusedTopology,
} from '../../../support/topologies.ts';

const names =
  'begin with a letter or an underscore and have at most 16 letters, digits, underscores and hyphens';

const cases: readonly RefusedTopology[] = [
  {
    name: 'no nodes',
    text: 'links: []\n',
    errors: ['1:1 there are no nodes: a topology needs at least one'],
  },
  {
    name: 'nodes misspelt: that is said, and not that there are none',
    text: 'nods: [a]\n',
    errors: ['1:1 unknown topology attribute "nods"; did you mean "nodes"?'],
  },
  {
    name: 'nodes that are none',
    text: 'nodes: 7\n',
    errors: ['1:8 nodes must be a list of names, or a map of names'],
  },
  { name: 'a node that is none', text: 'nodes: {a: 7}\n', errors: ['1:12 nodes.a must be a map, or empty'] },
  {
    name: 'items that are no names',
    text: 'nodes: [7, on, {name: 7}, b]\n',
    errors: [
      '1:9 a node must be a name, or a map with a name',
      '1:12 a node must be a name, or a map with a name; on, off, yes and no are booleans in YAML unless they are in quotes',
      '1:16 a node must be a name, or a map with a name',
    ],
  },
  {
    name: 'an item of a list, at its place',
    text: 'nodes: [a, {name: b, rol: x}, {name: 9c}]\n',
    errors: [
      '1:22 unknown node attribute "rol"; did you mean "role"?',
      `1:31 the name of a node must ${names}, unlike "9c"`,
    ],
  },
  { name: 'a node twice in a list', text: 'nodes: [a, b, a]\n', errors: ['1:15 duplicate node "a"'] },
  {
    name: 'names that are none',
    text: 'nodes: {1a: , name-of-17-letter: , "a b": , ä: , "": }\n',
    errors: [
      `1:9 the name of a node must ${names}, unlike "1a"`,
      `1:15 the name of a node must ${names}, unlike "name-of-17-letter"`,
      `1:36 the name of a node must ${names}, unlike "a b"`,
      `1:45 the name of a node must ${names}, unlike "ä"`,
      `1:50 the name of a node must ${names}, unlike ""`,
    ],
  },
  {
    name: 'names that YAML reads as booleans and as nothing',
    text: 'nodes: {on: , No: , null: }\n',
    errors: [
      '1:9 the name of a node must be text: put "on" in quotes',
      '1:15 the name of a node must be text: put "No" in quotes',
      '1:21 the name of a node must be text: put "null" in quotes',
    ],
  },
  {
    name: 'an id above MAX_NODE_ID',
    text: 'defaults.const.MAX_NODE_ID: 9\nnodes: {a: {id: 10}}\n',
    errors: ['2:17 nodes.a.id must be a whole number from 1 to 9, not 10'],
  },
  {
    name: 'more nodes than ids, once, and beside those that are given',
    text: 'defaults.const.MAX_NODE_ID: 3\nnodes: {a: , b: {id: 2}, c: , d: , e: }\n',
    errors: ['2:31 more than 3 nodes (MAX_NODE_ID)'],
  },
  {
    name: 'an id twice, and once more',
    text: 'nodes:\n  a: {id: 3}\n  b: {id: 3}\n  c: {id: 3}\n',
    errors: ['3:11 id 3 of b is also the id of a', '4:11 id 3 of c is also the id of a'],
  },
  {
    name: 'a default device, where it is used',
    text: 'defaults.device: lunix\nnodes: {a: {device: linux}, b: {role: router}}\n',
    errors: [
      '1:18 device "lunix": the bundled engine supports only linux, linux-router and none; did you mean "linux"?',
    ],
  },
  {
    name: 'a host that is to be a linux-router by default',
    text: 'defaults.device: linux-router\nnodes: {a: {role: host}}\n',
    errors: ['2:19 nodes.a: a linux-router cannot be a host'],
  },
  {
    name: 'devices of netlab, and one letter wrong',
    text: 'nodes: {a: {device: eos}, b: {device: lunix}}\n',
    errors: [
      `1:21 device "eos": the bundled engine supports only linux, linux-router and none; ${install}`,
      '1:39 device "lunix": the bundled engine supports only linux, linux-router and none; did you mean "linux"?',
    ],
  },
  {
    name: 'roles',
    text: 'nodes: {a: {role: bridge}, b: {role: root}, c: {device: linux-router, role: host}}\n',
    errors: [
      `1:19 nodes.a.role "bridge" is a value of netlab ${unsupported}`,
      '1:38 nodes.b.role must be one of host, router, gateway, not "root"',
      '1:77 nodes.c: a linux-router cannot be a host',
    ],
  },
  {
    name: 'a loopback that is none',
    text: 'nodes:\n  a: {role: router, loopback: 7}\n  b: {loopback: true}\n  c: {role: router, loopback: {pol: x}}\n',
    errors: [
      '2:31 nodes.a.loopback must be true, false or a map',
      '4:32 unknown loopback attribute "pol"; did you mean "pool"?',
    ],
  },
];

describe('every error in nodes, with line and column', () => {
  test.each(cases)('$name', ({ text, errors }) => expect(errorsOf(text)).toEqual(errors));
});

describe('nodes', () => {
  test('have a loopback as routers, and otherwise when they say so', () => {
    const lab = labOf(`addressing: {x: {ipv4: 10.5.0.0/24, prefix: 32}}
nodes:
  a: {role: router}
  b: {role: router, loopback: false}
  c: {role: host, loopback: true}
  d: {role: gateway}
  e: {role: gateway, loopback: true}
  f: {loopback: {}}
  g: {loopback: {pool: x}}
  h: {loopback: {ipv6: "2001:db8::8/128"}}
  i: {role: host}
  j: {device: none}
  k: {role: gateway, loopback: {ipv4: 10.7.7.7/32}}
`);
    expect(
      lab.nodes.map(({ name, role, loopback }) =>
        [name, role, loopback?.ipv4 ?? '-', loopback?.ipv6].join(' ').trim(),
      ),
    ).toEqual([
      'a router 10.0.0.1/32',
      'b router -',
      'c host 10.0.0.3/32',
      'd router -',
      'e router 10.0.0.5/32',
      'f host 10.0.0.6/32',
      'g host 10.5.0.7/32',
      'h host 10.0.0.8/32 2001:db8::8/128',
      'i host -',
      'j router 10.0.0.10/32',
      'k router 10.7.7.7/32',
    ]);
  });

  test('are of the default device where they name none, and routers if that is no plain linux', () => {
    const roles = (device: string) =>
      labOf(
        `defaults.device: ${device}\nnodes: {a: , b: {device: linux}, c: {device: none, role: host}}`,
      ).nodes.map((node) => `${node.device} ${node.role}`);
    expect(roles('none')).toEqual(['none router', 'linux host', 'none host']);
    expect(roles('linux-router')).toEqual(['linux-router router', 'linux host', 'none host']);
    expect(roles('linux')).toEqual(['linux host', 'linux host', 'none host']);
    expect(errorsOf('defaults.device: frr\nnodes: {a: {device: linux}}\n')).toEqual([]);
  });

  test('may have the highest id, and as many ids as there are', () => {
    expect(labOf('nodes: {a: {id: 65535}}').nodes[0]?.id).toBe(65_535);
    const lab = labOf('defaults.const.MAX_NODE_ID: 3\nnodes: {a: , b: {id: 3}, c: }');
    expect(lab.nodes.map(({ id }) => id)).toEqual([1, 3, 2]);
  });

  test('with an id above 150 get a warning, at the first of them, unless the file says that netlab may', () => {
    expect(warningsOf('nodes: {a: {id: 150}}')).toEqual([]);
    expect(warningsOf('nodes: [a, {name: b, id: 151}, {name: c, id: 152}]')).toEqual([
      '1:12 netlab refuses ids above 150 unless defaults.const.MAX_NODE_ID is higher',
    ]);
    expect(warningsOf('defaults.const.MAX_NODE_ID: 200\nnodes: {a: {id: 151}}')).toEqual([]);
  });
});
