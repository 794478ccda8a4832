import { describe, expect, test } from '@jest/globals';
import { causesOf } from '../../../../scripts/engine-coverage/causes.mjs';
import { errorsOf } from '../../../support/topologies.ts';

const runs = 'install netlab to use it';
const attribute = (name: string) =>
  `"${name}" is an attribute of netlab that the bundled engine does not support; ${runs}`;
const value = (name: string) =>
  `"${name}" is a value of netlab that the bundled engine does not support; ${runs}`;
const nodes = 'nodes: {a: {role: router}, b: {role: router}, c: }';

/** Why the engine refuses what netlab takes: a small topology for each cause, and all that is said of it. */
const causes: readonly (readonly [topology: string, sentence: string])[] = [
  [`${nodes}\nmodule: [ospf]`, `2:1 ${attribute('module')}`],
  [`${nodes}\nospf.area: 1`, `2:1 ${attribute('ospf')}`],
  [`${nodes}\nvlans: {red: }`, `2:1 ${attribute('vlans')}`],
  [`${nodes}\nvrfs: {red: }`, `2:1 ${attribute('vrfs')}`],
  [`${nodes}\ncomponents: {x: }`, `2:1 ${attribute('components')}`],
  [`${nodes}\nplugin: [fabric]`, `2:10 the bundled engine does not support plugin "fabric"; ${runs}`],
  [
    `${nodes}\ndefaults.groups: {x: }`,
    `2:1 groups in defaults are not supported: put them next to nodes; ${runs}`,
  ],
  [`${nodes}\ngroups: {g: {module: [bgp], members: [a]}}`, `2:14 ${attribute('module')}`],
  [
    `${nodes}\ngroups: {g: {type: vlan}}`,
    `2:20 groups.g: the bundled engine supports only groups of nodes; ${runs}`,
  ],
  ['nodes: {a: {module: [bgp]}}', `1:13 ${attribute('module')}`],
  ['nodes: {a: {bgp.as: 65000}}', `1:13 ${attribute('bgp')}`],
  ['nodes: {a: {config: [x]}}', `1:13 ${attribute('config')}`],
  ['nodes: {a: {unmanaged: true}}', `1:13 ${attribute('unmanaged')}`],
  ['nodes: {a: {include: x}}', `1:13 ${attribute('include')}`],
  ['nodes: {a: {role: bridge}}', `1:19 nodes.a.role ${value('bridge')}`],
  [
    'nodes: {a: {device: eos}}',
    `1:21 device "eos": the bundled engine supports only linux, linux-router and none; ${runs}`,
  ],
  ['nodes: {a: {role: router, loopback: {vrf: red}}}', `1:38 ${attribute('vrf')}`],
  [`${nodes}\nlinks: [{a: , b: , type: tunnel}]`, `2:26 links[1].type ${value('tunnel')}`],
  [`${nodes}\nlinks: [{a: , b: , type: vlan_member}]`, `2:26 links[1].type ${value('vlan_member')}`],
  [`${nodes}\nlinks: [{a: , b: , ospf.cost: 3}]`, `2:20 ${attribute('ospf')}`],
  [`${nodes}\nlinks: [{a: , b: , vlan.access: red}]`, `2:20 ${attribute('vlan')}`],
  [`${nodes}\nlinks: [{a: , b: , tc.delay: 5ms}]`, `2:20 ${attribute('tc')}`],
  [`${nodes}\nlinks: [{a: , b: , ra.disable: true}]`, `2:20 ${attribute('ra')}`],
  [`${nodes}\nlinks: [{a: , b: , shutdown: true}]`, `2:20 ${attribute('shutdown')}`],
  [`${nodes}\nlinks: [{a: , c: , gateway.id: 1}]`, `2:20 ${attribute('gateway')}`],
  [`${nodes}\nlinks: [{group: g, bgp.x: 1, members: [a-b, b-c]}]`, `2:20 ${attribute('bgp')}`],
  [`${nodes}\nlinks: [{a: {ifindex: 3}, b: }]`, `2:14 ${attribute('ifindex')}`],
  [`${nodes}\nlinks: [{a: {ifname: x}, b: }]`, `2:14 ${attribute('ifname')}`],
  [`${nodes}\nlinks: [{a: {vrf: red}, b: }]`, `2:14 ${attribute('vrf')}`],
  [
    `${nodes}\nlinks: [{a: {ipv4: dhcp}, b: }]`,
    `2:20 links[1].a.ipv4 must not be dhcp, which the bundled engine does not support; ${runs}`,
  ],
];

describe('each cause of a refusal is said, with its place and the remedy', () => {
  test.each(causes)('%s', (topology, sentence) => expect(errorsOf(topology)).toEqual([sentence]));
});

test('scripts/engine-coverage.mjs counts them as causes: without place, names and remedy', () => {
  const printed = (sentence: string) =>
    `Fatal error in lab create: 1 error in the topology: t.yml:${sentence.replace(' ', ': ')}\n`;
  const counted = causes.map(([, sentence]) => causesOf(printed(sentence)));
  for (const [index, found] of counted.entries()) {
    expect(found).toHaveLength(1);
    expect(found[0]).not.toMatch(/t\.yml|^\d+:\d+|install netlab|links\[1\]|nodes\.a|groups\.g/);
    expect(found[0]).not.toBe(causes[index]![1]);
  }
  expect(causesOf(printed(causes.find(([topology]) => topology.includes('bridge'))![1]))).toEqual([
    'nodes… "bridge" is a value of netlab that the bundled engine does not support',
  ]);
});
