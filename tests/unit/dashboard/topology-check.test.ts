/** The problems that the editor reports in a topology, with their positions. */
import { describe, expect, test } from '@jest/globals';
import { plainExamples, routedExamples } from '../../support/example-labs.ts';
import { checkTopology, isTopology } from '../../../web/dashboard/src/parts/topology/topology-check.ts';
import { check } from '../../../web/dashboard/src/parts/topology/yaml-check.ts';

/** `line:column severity message` of each problem. */
function problems(text: string, devices: readonly string[] = []): string[] {
  return checkTopology(text, devices).problems.map(
    ({ line, column, severity, message }) => `${line}:${column} ${severity} ${message}`,
  );
}

describe('nothing is wrong with', () => {
  test.each([
    [
      'every form of a link',
      'nodes: [a, b, c]\nlinks:\n- a-b\n- a-b-c\n- [a, b]\n- { a: , b: { ipv4: 1 }, mtu: 1500 }\n- interfaces: [a, { node: b }]\n- group: g\n  members: [a-b]\n',
    ],
    ['a map of links', 'nodes: [a, b]\nlinks:\n  x: a-b\n  y: { a: , b: }\n'],
    ['names with hyphens', 'nodes: [r-1, r-2]\nlinks: [r-1-r-2]\n'],
    ['private keys', '_mine: 1\nnodes: [a]\n'],
    ['dotted keys', 'defaults.device: frr\ndefaults.multilab.id: 3\nnodes: [a]\n'],
    ['nodes that a group creates', 'groups:\n  _auto_create: true\n  g: [a, b]\nlinks: [a-b]\n'],
    ['attributes of plugins', 'plugin: [bgp.session]\nnodes:\n  a: { bgp.as: 65000 }\nbgp.timers: 3\n'],
    ['an incomplete topology', 'nodes:\nlinks:\n'],
  ])('%s', (_, text) => {
    expect(problems(text)).toEqual([]);
  });

  test.each([...plainExamples, ...routedExamples])('$directory', ({ text }) => {
    expect(problems(text)).toEqual([]);
  });
});

describe('an error is', () => {
  test('a syntax error of YAML, with its position', () => {
    const [first] = problems('nodes: [a, b\nlinks: [a-b]\n');
    expect(first).toMatch(/^\d:\d+ error /);
    expect(checkTopology('nodes: [a, b\nlinks: [a-b]\n').nodes).toBeUndefined();
  });

  test('a link to an unknown node, with a suggestion', () => {
    expect(problems('nodes: [spine, leaf]\nlinks:\n- spine-leaf\n- spine-laef\n')).toEqual([
      '4:3 error there is no node “laef”; did you mean "leaf"?',
    ]);
    expect(problems('nodes: [a, b]\nlinks:\n- a:\n  zzz:\n')).toEqual([
      '4:3 error “zzz” is neither a node nor an attribute of a link',
    ]);
    expect(problems('nodes: [a, b]\nlinks:\n- [a, x]\n- interfaces: [{ node: y }]\n- a-\n')).toEqual([
      '3:7 error there is no node “x”',
      '4:24 error there is no node “y”',
      '5:3 error an end of the link has no name',
    ]);
  });

  test('a key that occurs twice', () => {
    expect(problems('nodes: [a]\nnodes: [b]\n')).toEqual(['2:1 error duplicate key "nodes"']);
  });

  test('a value of the wrong type', () => {
    expect(problems('nodes: 3\n')).toEqual(['1:8 error nodes must be a list of names or a map of nodes']);
    expect(problems('nodes:\n  a: linux\n')).toEqual([
      '2:3 error the value of node “a” must be a map of attributes, or empty',
    ]);
  });

  test('text that nests too deep for a parser', () => {
    expect(problems('['.repeat(5000))).toHaveLength(1);
    expect(check('other.yml', '['.repeat(5000), []).problems).toHaveLength(1);
  });
});

describe('a warning is', () => {
  test('an unknown key', () => {
    expect(problems('nodes: [a]\nlnks: []\nfoo: 1\n')).toEqual([
      '2:1 warning netlab may not know “lnks”; did you mean "links"?',
      '3:1 warning netlab may not know “foo”',
    ]);
  });

  test('a misspelled attribute of a node', () => {
    expect(problems('nodes:\n  a: { devise: frr, site: x }\n')).toEqual([
      '2:8 warning netlab may not know “devise”; did you mean "device"?',
    ]);
  });

  test('a device that neither the page nor this server knows', () => {
    expect(problems('nodes:\n  a: { device: fr }\n  b: { device: ours }\n', ['ours'])).toEqual([
      '2:16 warning netlab may not know the device “fr”',
    ]);
  });

  test('a node that a plugin may add', () => {
    expect(problems('plugin: [fabric]\nlinks: [a-b]\n').map((text) => text.split(' ')[1])).toEqual([
      'warning',
      'warning',
    ]);
  });
});

test('a topology is recognized by its name and content', () => {
  expect(isTopology('netlab/topology.yml', '')).toBe(true);
  expect(isTopology('lab.yaml', 'name: x\nlinks: []\n')).toBe(true);
  expect(isTopology('group_vars/all.yml', 'x: 1\n')).toBe(false);
  expect(isTopology('topology.clab.yml', 'name: x\n')).toBe(false);
});

test('other YAML is checked, too, and may have several documents and unknown keys', () => {
  expect(check('vars.yml', 'a: 1\n---\nb: !vault x\n', []).problems).toEqual([]);
  expect(check('vars.yml', 'a: 1\n---\nb: [\n', []).problems).toMatchObject([{ severity: 'error' }]);
});
