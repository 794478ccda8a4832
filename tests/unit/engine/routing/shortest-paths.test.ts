import { describe, expect, test } from '@jest/globals';
import { formatPrefix, type Family } from '../../../../src/lib/net/ip.ts';
import { graphOf } from '../../../../src/engine/routing/graph.ts';
import { ShortestPaths } from '../../../../src/engine/routing/shortest-paths.ts';
import { labOf } from '../../../support/topologies.ts';

const routers = 'r0: {role: router}, r1: {role: router}, r2: {role: router}, r3: {role: router}';

function pathsIn(
  links: string,
  { nodes = `{${routers}}`, family = 'ipv4' }: { nodes?: string; family?: Family } = {},
) {
  const lab = labOf(`nodes: ${nodes}\nlinks: ${links}\n`);
  const graph = graphOf(lab.nodes, lab.links, family);
  const paths = new ShortestPaths(graph);
  /** Where router `start` sends packets to each destination that it is not connected to. */
  return (start: number): string[] => {
    const { hops, via } = paths.from(start);
    return graph.destinations.flatMap((destination, index) => {
      const hop = hops[index]!;
      const how = hop === -1 ? 'unreachable' : `${via[hop]?.via} ${via[hop]?.dev ?? ''}`.trim();
      return hop === -2 ? [] : [`${formatPrefix(destination)} ${how}`];
    });
  };
}

describe('a router sends', () => {
  test('along a line, to each network and loopback, and has no way to what is apart', () => {
    const from = pathsIn('[r0-r1, r1-r2]');
    expect(from(0)).toEqual([
      '10.0.0.2/32 10.1.0.2',
      '10.0.0.3/32 10.1.0.2',
      '10.0.0.4/32 unreachable',
      '10.1.0.4/30 10.1.0.2',
    ]);
    expect(from(1)).toEqual(['10.0.0.1/32 10.1.0.1', '10.0.0.3/32 10.1.0.6', '10.0.0.4/32 unreachable']);
    expect(from(3)).toEqual([
      '10.0.0.1/32 unreachable',
      '10.0.0.2/32 unreachable',
      '10.0.0.3/32 unreachable',
      '10.1.0.0/30 unreachable',
      '10.1.0.4/30 unreachable',
    ]);
    // The first answer again, after others.
    expect(from(0)).toHaveLength(4);
  });

  test('the shorter way round a ring, and at a tie over the earlier interface', () => {
    expect(pathsIn('[r0-r1, r1-r2, r2-r3, r3-r0]')(0)).toEqual([
      '10.0.0.2/32 10.1.0.2',
      '10.0.0.3/32 10.1.0.2',
      '10.0.0.4/32 10.1.0.14',
      '10.1.0.4/30 10.1.0.2',
      '10.1.0.8/30 10.1.0.14',
    ]);
    expect(pathsIn('[r3-r0, r0-r1, r1-r2, r2-r3]')(0)).toContain('10.0.0.3/32 10.1.0.2');
  });

  test('at a tie on one link to the earlier end of it', () => {
    const both = (ends: string) => pathsIn(`[[${ends}], r1-r3, r2-r3]`)(0);
    expect(both('r0, r1, r2')).toContain('10.0.0.4/32 172.16.0.2');
    expect(both('r0, r2, r1')).toContain('10.0.0.4/32 172.16.0.3');
  });

  test('to the loopback of a host beside it or beside another, and never through a host', () => {
    const nodes = `{${routers}, h: {loopback: true}}`;
    expect(pathsIn('[r0-r1, r1-h, h-r2]', { nodes })(0)).toEqual([
      '10.0.0.2/32 10.1.0.2',
      '10.0.0.3/32 unreachable',
      '10.0.0.4/32 unreachable',
      '10.0.0.5/32 10.1.0.2',
      '172.16.0.0/24 10.1.0.2',
      '172.16.1.0/24 unreachable',
    ]);
    expect(pathsIn('[r0-h, r1-r2]', { nodes })(0)).toContain('10.0.0.5/32 172.16.0.5');
    // A host without a loopback is no destination.
    expect(pathsIn('[r0-h]', { nodes: `{${routers}, h: }` })(0)).toHaveLength(3);
  });

  test('over a link to those of its ends that are in the same network, and to a router by any of its addresses', () => {
    const ends = (second: string) =>
      `[{r0: {ipv4: 10.2.0.1/24}, r1: {ipv4: ${second}/24}, r2: {ipv4: 10.2.0.3/24}, prefix: false}, r0-r0]`;
    expect(pathsIn(ends('10.3.0.2'))(0)).toEqual([
      '10.0.0.2/32 unreachable',
      '10.0.0.3/32 10.2.0.3',
      '10.0.0.4/32 unreachable',
      '10.3.0.0/24 unreachable',
    ]);
    expect(pathsIn(ends('10.2.0.2'))(0)).toContain('10.0.0.2/32 10.2.0.2');
  });

  test('to the nearer of two places with one network, whichever is found later', () => {
    const from = pathsIn('[r0-r1, r0-r2, r2-r3, {r1: , prefix: 10.9.0.0/24}, {r3: , prefix: 10.9.0.0/24}]');
    expect(from(0)).toContain('10.9.0.0/24 10.1.0.2');
    expect(from(2)).toContain('10.9.0.0/24 10.1.0.10');
  });
});

test('routers on one link look at each of its ends once, whatever their number', () => {
  const names = Array.from({ length: 200 }, (_, index) => `l${index}`);
  const nodes = names.map((name) => `${name}: {role: router}`).join(', ');
  const lab = labOf(`{nodes: {${nodes}}, links: [[${names.join(', ')}]]}`);
  const graph = graphOf(lab.nodes, lab.links, 'ipv4');
  let steps = 0;
  const counting = graph.segments.map(({ members, destination }) => {
    const counted = [...members];
    counted[Symbol.iterator] = () => {
      steps += members.length;
      return members.values();
    };
    return { destination, members: counted };
  });
  const paths = new ShortestPaths({ ...graph, segments: counting });
  for (const index of names.keys()) paths.from(index);
  expect(steps).toBe(200 * 200);
});
