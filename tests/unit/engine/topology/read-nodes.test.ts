import { describe, expect, test } from '@jest/globals';
import { errorsOf, labOf, warningsOf } from '../../../support/topologies.ts';

const install = 'netlab runs it: install netlab';
const unsupported = `that the bundled engine does not support; ${install}`;
const names =
  'begin with a letter or an underscore and have at most 16 letters, digits, underscores and hyphens';

interface Case {
  readonly name: string;
  readonly text: string;
  /** Every error of the topology. */
  readonly errors: readonly string[];
}

const cases: readonly Case[] = [
  {
    name: 'no nodes',
    text: 'links: []\n',
    errors: ['1:1 there are no nodes: a topology needs at least one'],
  },
  {
    name: 'an empty list of nodes',
    text: 'name: x\nnodes: []\n',
    errors: ['2:8 there are no nodes: a topology needs at least one'],
  },
  {
    name: 'nodes that are none',
    text: 'nodes: 7\n',
    errors: ['1:8 nodes must be a list of names, or a map of names'],
  },
  { name: 'a node that is none', text: 'nodes: {a: 7}\n', errors: ['1:12 nodes.a must be a map, or empty'] },
  {
    name: 'an item that is no node',
    text: 'nodes:\n- a\n- {id: 3}\n',
    errors: ['3:3 a node is a name, or a map with a name'],
  },
  { name: 'a node twice in a list', text: 'nodes: [a, b, a]\n', errors: ['1:15 node "a" is here twice'] },
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
      '1:9 the name of a node is text: in YAML, "on" is none unless it is in quotes',
      '1:15 the name of a node is text: in YAML, "No" is none unless it is in quotes',
      '1:21 the name of a node is text: in YAML, "null" is none unless it is in quotes',
    ],
  },
  {
    name: 'ids that are none',
    text: 'nodes: {a: {id: 0}, b: {id: x}, c: {id: 1.5}, d: {id: }}\n',
    errors: [
      '1:17 nodes.a.id must be a whole number from 1 to 65535, not 0',
      '1:29 nodes.b.id must be a whole number from 1 to 65535, not "x"',
      '1:41 nodes.c.id must be a whole number from 1 to 65535, not 1.5',
      '1:51 nodes.d.id must be a whole number from 1 to 65535, not null',
    ],
  },
  {
    name: 'more nodes than ids',
    text: 'defaults.const.MAX_NODE_ID: 2\nnodes: [a, b, c]\n',
    errors: ['2:15 more than 2 nodes (MAX_NODE_ID)'],
  },
  {
    name: 'an id twice',
    text: 'nodes:\n  a: {id: 3}\n  b: {id: 3}\n',
    errors: ['3:11 id 3 of b is that of a'],
  },
  {
    name: 'devices of netlab, and one letter wrong',
    text: 'nodes: {a: {device: eos}, b: {device: lunix}}\n',
    errors: [
      `1:21 device "eos": the bundled engine has linux, linux-router and none only; ${install}`,
      '1:39 device "lunix": the bundled engine has linux, linux-router and none only; did you mean "linux"?',
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
    text: 'nodes:\n  a: {role: router, loopback: 7}\n  b: {loopback: true}\n  c: {role: router, loopback: {ipv4: 10.0.0.9, pol: x}}\n',
    errors: [
      '2:31 nodes.a.loopback must be true, false or a map',
      '4:38 nodes.c.loopback.ipv4 must be an IPv4 prefix such as 10.9.0.0/24, not "10.0.0.9"',
      '4:48 unknown loopback attribute "pol"; did you mean "pool"?',
    ],
  },
];

describe('every error in nodes, with line and column', () => {
  test.each(cases)('$name', ({ text, errors }) => expect(errorsOf(text)).toEqual(errors));
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
    for (const nodes of ['{y: , n: , "on": , "yes": }', '[y, n, "on", "yes"]'])
      expect(labOf(`nodes: ${nodes}`).nodes.map(({ name }) => name)).toEqual(['y', 'n', 'on', 'yes']);
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
