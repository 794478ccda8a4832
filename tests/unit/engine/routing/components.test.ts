import { expect, test } from '@jest/globals';
import { componentsOf } from '../../../../src/engine/routing/components.ts';
import { graphOf } from '../../../../src/engine/routing/graph.ts';
import { labOf } from '../../../support/topologies.ts';

/** Per node, the number of its component: that of the first router in it, and -1 for a host. */
function components(
  links: string,
  nodes = '{r0: {role: router}, r1: {role: router}, r2: {role: router}, h3: , r4: {role: router}}',
) {
  const lab = labOf(`nodes: ${nodes}\nlinks: ${links}\n`);
  return [...componentsOf(graphOf(lab.nodes, lab.links, 'ipv4'))];
}

test.each([
  ['[]', [0, 1, 2, -1, 4]],
  ['[r1-r2]', [0, 1, 1, -1, 4]],
  ['[r4-r2, r2-r1]', [0, 1, 1, -1, 1]],
  ['[r0-r1-r4]', [0, 0, 2, -1, 0]],
  ['[r0-h3, h3-r4]', [0, 1, 2, -1, 4]],
  ['[r0-h3-r4]', [0, 1, 2, -1, 0]],
  ['[r0-r1, r1-r2, r2-r0, r2-r4]', [0, 0, 0, -1, 0]],
  ['[{r0: {ipv4: 10.2.0.1/24}, r1: {ipv4: 10.3.0.1/24}}]', [0, 1, 2, -1, 4]],
])('%s', (links, expected) => expect(components(links)).toEqual(expected));

test('hosts alone are in none', () => {
  expect(components('[a-b]', '[a, b]')).toEqual([-1, -1]);
});

test('the ends of a link are visited once, whatever their number', () => {
  const names = Array.from({ length: 20 }, (_, index) => `l${index}`);
  const lab = labOf(
    `nodes: {${names.map((name) => `${name}: {role: router}`).join(', ')}}\nlinks: [[${names.join(', ')}]]`,
  );
  const graph = graphOf(lab.nodes, lab.links, 'ipv4');
  let looks = 0;
  const segments = graph.segments.map(({ destination, members }) => ({
    destination,
    get members() {
      looks += 1;
      return members;
    },
  }));
  expect(new Set(componentsOf({ ...graph, segments }))).toEqual(new Set([0]));
  expect(looks).toBe(1);
});
