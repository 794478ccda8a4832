import { expect, test } from '@jest/globals';
import { placedProblems, type TopologyProblem } from '../../../../src/labs/drivers/placed-problems.ts';

const text = `nodes:
  r1:
    ospf.area: 1
    mtu: 1500
  r2:
groups:
  edge:
    members: [r1]
vlans:
  red:
links:
- r1-r2
- r1:
    ipv4: 1.2.3
  r2:
`;

const nowhere = { line: null, column: null, node: null, link: null, severity: 'error' } as const;
const placeOf = async (message: string, known: Partial<TopologyProblem> = {}, topology = text) => {
  const [placed] = await placedProblems.read(Buffer.from(topology), [{ ...nowhere, message, ...known }]);
  return [placed?.line, placed?.column, placed?.node, placed?.link];
};

test.each([
  ["attribute 'nodes.r1.mtu' must be an integer", 4, 5, 'r1', null],
  ["Invalid node attribute 'mtu' found in nodes.r1", 4, 5, 'r1', null],
  ["Invalid ospf node attribute 'area' found in nodes.r1.ospf", 3, 5, 'r1', null],
  ['node r2 has no loopback', 5, 3, 'r2', null],
  ['attribute links[2].r1.ipv4 is wrong', 14, 5, null, 2],
  ['link links[1] between node r1 and node r2', 12, 3, 'r1', 1],
  ['Member r7 of group edge is no node', 7, 3, null, null],
  ['vlan red has no id', 10, 3, null, null],
  ["element 'vlans.red' is wrong", 10, 3, null, null],
  ['node r7 is not there, and links[9] neither', null, null, null, null],
] as const)('%s', async (message, ...place) => {
  expect(await placeOf(message)).toEqual(place);
});

test('a line tells the node or the link, and a list of names has places too', async () => {
  expect(await placeOf('wrong', { line: 4, column: 10 })).toEqual([4, 10, 'r1', null]);
  expect(await placeOf('wrong', { line: 14, column: 11 })).toEqual([14, 11, null, 2]);
  expect(await placeOf('wrong', { line: 999, column: 1 })).toEqual([999, 1, null, null]);
  expect(await placeOf('node b is wrong', {}, 'nodes: [a, b]\n')).toEqual([1, 12, 'b', null]);
});

test('a text that is too deep, or no YAML, leaves problems as they are', async () => {
  expect(await placeOf('node a', {}, `nodes: ${'['.repeat(200)}`)).toEqual([null, null, null, null]);
  expect(await placeOf('node a', {}, 'nodes: {a: {')).toEqual([1, 9, 'a', null]);
  expect(await placeOf('node a', {}, '')).toEqual([null, null, null, null]);
});

test.each([
  ['Constructing node "b": kind "none" is not supported', {}, [5, 5, 'b', null]],
  ['field imagee not found', { line: 4 }, [4, null, 'a', null]],
  ['field kindd not found', { line: 6 }, [6, null, 'b', null]],
  ['field endpoint not found', { line: 8 }, [8, null, null, 1]],
  ['did not find expected key', { line: 99 }, [99, null, null, null]],
] as const)('of containerlab, %s', async (...[message, known, place]) => {
  const topology = `name: ct
topology:
  nodes:
    a: {kind: linux, imagee: x}
    b:
      kindd: none
  links:
    - endpoint: [a:eth1, b:eth1]
`;
  expect(await placeOf(message, known, topology)).toEqual(place);
});
