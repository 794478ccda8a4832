import { describe, expect, test } from '@jest/globals';
import { readLinks } from '../../../../src/engine/topology/read-links.ts';
import {
  errorsOf,
  labOf,
  readingOf,
  textsOf,
  unsupported,
  type RefusedTopology,
} from '../../../support/topologies.ts';

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
    '- {interfaces: [{node: r1}, {node: r2}]}',
    '- r1:\n  r2:',
    '  {core: {inner: [r1-r2]}}',
  ])('%j', (text) => {
    expect(link(text)).toEqual({
      type: 'p2p',
      prefix: { ipv4: '10.1.0.0/30' },
      addresses: ['r1 10.1.0.1/30 -', 'r2 10.1.0.2/30 -'],
    });
  });

  test('with a node that is called like an attribute', () => {
    const lab = labOf('{nodes: {type: {role: router}, prefix: {role: router}}, links: [{type: , prefix: }]}');
    expect(lab.links[0]?.ends.map(({ node }) => node)).toEqual(['type', 'prefix']);
  });
});

describe('a link says', () => {
  /** Per link its label in messages, and what is said of it. */
  function specs(links: string) {
    const reading = readingOf(`${routers}\nlinks: ${links}\n`);
    const nodeNames = new Set(['r1', 'r2', 'h1']);
    const found = readLinks({ ...reading, nodeNames, prefixes: new Map() });
    expect(textsOf(reading.findings.errors)).toEqual([]);
    return found.map(({ interfaces, origin: _origin, ...said }) => ({
      ...Object.fromEntries(
        Object.entries(said).filter(([, value]) => value !== undefined && value !== false),
      ),
      ends: interfaces.map(({ node }) => node).join('-'),
    }));
  }

  test.each<[string, unknown[]]>([
    ['', []],
    ['r1 -r2', [{ label: 'links', ends: 'r1-r2' }]],
    [
      '[{r1: , type: lan, pool: p, role: r, mtu: 1400, unnumbered: true, name: x, bandwidth: 7, _own: y}]',
      [{ label: 'links[1]', type: 'lan', pool: 'p', role: 'r', mtu: 1400, unnumbered: true, ends: 'r1' }],
    ],
    [
      '[{r1: , disable: false}, {r2: , disable: true}, r1]',
      [
        { label: 'links[1]', ends: 'r1' },
        { label: 'links[3]', ends: 'r1' },
      ],
    ],
    [
      '{a: [r1, r2], b: {c: [h1]}, d: r1-h1}',
      [
        { label: 'links.a[1]', ends: 'r1' },
        { label: 'links.a[2]', ends: 'r2' },
        { label: 'links.b.c[1]', ends: 'h1' },
        { label: 'links.d', ends: 'r1-h1' },
      ],
    ],
    [
      '[{interfaces: [r1, {node: r2, ipv4: 7}], mtu: 1400}]',
      [{ label: 'links[1]', mtu: 1400, ends: 'r1-r2' }],
    ],
    [
      '[r1, {group: g, pool: p, mtu: 1400, members: [r1-r2, [h1], {r1: , mtu: 1300}, {interfaces: [r2], pool: q}]}, r2]',
      [
        { label: 'links[1]', ends: 'r1' },
        { label: 'links[g][1]', pool: 'p', mtu: 1400, ends: 'r1-r2' },
        { label: 'links[g][2]', pool: 'p', mtu: 1400, ends: 'h1' },
        { label: 'links[g][3]', pool: 'p', mtu: 1300, ends: 'r1' },
        { label: 'links[g][4]', pool: 'q', mtu: 1400, ends: 'r2' },
        { label: 'links[3]', ends: 'r2' },
      ],
    ],
    ['[{group: g, disable: true, members: [r1]}]', []],
  ])('%s', (links, expected) => expect(specs(links)).toEqual(expected));

  test('what its ends are', () => {
    const reading = readingOf(
      `${routers}\nlinks: [{r1: {ipv4: 7, mtu: 1400}, r2: }, [{node: r1, ipv6: true}], r1-h1]\n`,
    );
    const nodeNames = new Set(['r1', 'r2', 'h1']);
    const [map, list, text] = readLinks({ ...reading, nodeNames, prefixes: new Map() });
    const none = { ipv4: undefined, ipv6: undefined, mtu: undefined };
    expect(
      [map, list, text].map((spec) => spec?.interfaces.map(({ origin: _origin, ...end }) => end)),
    ).toEqual([
      [
        { ...none, node: 'r1', ipv4: { kind: 'host', index: 7n }, mtu: 1400 },
        { ...none, node: 'r2' },
      ],
      [{ ...none, node: 'r1', ipv6: { kind: 'unnumbered' } }],
      [
        { ...none, node: 'r1' },
        { ...none, node: 'h1' },
      ],
    ]);
  });
});

const cases: readonly RefusedTopology[] = [
  {
    name: 'links that are none',
    text: 'nodes: [a]\nlinks: 7\n',
    errors: ['2:8 links must be a list, or a map of lists'],
  },
  {
    name: 'values of a link, of its prefix and of its ends',
    text: `${routers}\nlinks:\n- {r1: {ipv4: 10.0.0.300}, r2: {ipv4: true}}\n- {r1: , r2: , prefix: lan7, type: tunnel, typ: lan}\n`,
    errors: [
      '3:15 links[1].r1.ipv4 must be an IPv4 address, a host number or false, not "10.0.0.300"',
      '4:24 links[2].prefix must be an IPv4 or IPv6 prefix such as 10.9.0.0/24, not "lan7"',
      `4:36 links[2].type "tunnel" is a value of netlab ${unsupported}`,
      '4:44 links[2]: "typ" is neither a node nor an attribute of a link; did you mean "type"?',
    ],
  },
  {
    name: 'unknown nodes in links of every form',
    text: `${routers}\nlinks:\n- r1-x9\n- [r1, rr2]\n- {r1: , x: }\n- interfaces: [r1, {node: y}, {nod: r1}, 7]\n- 7\n- r1-\n- {r1: 7}\n- {interfaces: r1}\n`,
    errors: [
      '3:3 links[1]: there is no node "x9"',
      '4:8 links[2]: there is no node "rr2"; did you mean "r2"?',
      '5:10 links[3]: "x" is neither a node nor an attribute of a link',
      '6:20 links[4]: there is no node "y"',
      '6:31 links[4]: an end of a link must be a node, or a map with "node"',
      '6:42 links[4]: an end of a link must be a node, or a map with "node"',
      '7:3 links[5]: a link must be "a-b", [a, b], or a map',
      '8:3 links[6]: an end of the link has no name',
      '9:4 links[7]: the value of "r1" must be a map or empty',
      '10:3 links[8].interfaces must be a list',
    ],
  },
  {
    name: 'names that YAML reads as booleans: quotes help where there is such a node',
    text: 'nodes: ["off", a]\nlinks: [{off: , a: }, {on: , a: }, [a, off]]\n',
    errors: [
      '2:10 links[1]: "off" is neither a node nor an attribute of a link; on, off, yes and no are booleans in YAML unless they are in quotes',
      '2:24 links[2]: "on" is neither a node nor an attribute of a link',
      '2:40 links[3]: an end of a link must be a node, or a map with "node"; on, off, yes and no are booleans in YAML unless they are in quotes',
    ],
  },
  {
    name: 'groups of links',
    text: `${routers}\nlinks:\n- {members: [r1-r2]}\n- {group: g}\n- {group: g, r1: , members: [r1-r2]}\n- {group: g, type: tunnel, members: [r1-r2, r2-r1]}\n- {group: g, members: [r1-r9, {r1: , disable: true}, 7, {group: h, members: []}]}\n- {group: g, interfaces: [r1], members: [r1-r2]}\n- {group: g, members: []}\n- {group: g, disable: true, members: [r1-x]}\n- {group: g, x9: , members: [r1]}\n- {group: g, interfaces: [y9], members: [r1]}\n`,
    errors: [
      '3:3 links[1]: links with "members" are a group and need its name: group must begin with a letter or an underscore and have at most 16 letters, digits, underscores and hyphens',
      '4:3 links[2]: a group of links needs "members", a list of links',
      '5:3 links[3]: a group of links cannot have nodes; only its members can',
      `6:20 links[4].type "tunnel" is a value of netlab ${unsupported}`,
      '7:24 links[g][1]: there is no node "r9"',
      '7:38 links[g][2]: "disable" cannot be in a member of a group of links; take the link out of the group',
      '7:54 links[g][3]: a link must be "a-b", [a, b], or a map',
      '7:58 links[g][4]: "group" cannot be in a member of a group of links; take the link out of the group',
      '7:68 links[g][4]: "members" cannot be in a member of a group of links; take the link out of the group',
      '8:3 links[6]: a group of links cannot have nodes; only its members can',
      '9:3 links[7]: a group of links needs "members", a list of links',
      '11:14 links[9]: "x9" is neither a node nor an attribute of a link',
      '12:27 links[10]: there is no node "y9"',
    ],
  },
  {
    name: 'a map of links with what is none, and groups in it',
    text: `${routers}\nlinks: {typ: 7, a: [r1-x], b: {c: 7}, d: , e: {f: [{group: g, members: [x]}]}}\n`,
    errors: [
      '2:9 unknown link attribute "typ"; did you mean "type"?: links must be a list, or a map of lists',
      '2:21 links.a[1]: there is no node "x"',
      '2:32 unknown link attribute "c": links must be a list, or a map of lists',
      '2:39 unknown link attribute "d": links must be a list, or a map of lists',
      '2:73 links[g][1]: there is no node "x"',
    ],
  },
  {
    name: 'attributes beside a list of ends',
    text: `${routers}\nlinks: [{interfaces: [r1], r2: , typ: x, on: 1}]\n`,
    errors: [
      '2:28 unknown link attribute "r2"',
      '2:34 unknown link attribute "typ"; did you mean "type"?',
      '2:42 unknown link attribute "on"',
    ],
  },
  {
    name: 'attributes of ends, in each form',
    text: `${routers}\nlinks: [{r1: {ipv5: 1, mtu: 1}}, [{node: r1, ipv5: 1, mtu: 1}], {r1: 7, r2: [x]}]\n`,
    errors: [
      '2:15 unknown interface attribute "ipv5"; did you mean "ipv4"?',
      '2:29 links[1].r1.mtu must be a whole number from 64 to 9216, not 1',
      '2:46 unknown interface attribute "ipv5"; did you mean "ipv4"?',
      '2:60 links[2].r1.mtu must be a whole number from 64 to 9216, not 1',
      '2:66 links[3]: the value of "r1" must be a map or empty',
      '2:73 links[3]: the value of "r2" must be a map or empty',
    ],
  },
];

describe('every error in links, with line and column', () => {
  test.each(cases)('$name', ({ text, errors }) => expect(errorsOf(text)).toEqual(errors));
});
