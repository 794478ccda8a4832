import { describe, expect, test } from '@jest/globals';
import { formatPrefix, type Family } from '../../../../src/engine/core/ip.ts';
import { graphOf, nextHop, type Graph } from '../../../../src/engine/routing/graph.ts';
import { labOf } from '../../../support/topologies.ts';

/** One router with a loopback of both families, one with IPv4, a host without, and a loopback outside of the pools. */
const head = `addressing: {p2p: {ipv6: 2001:db8:1::/48}, x: {ipv4: true}}
nodes: {r1: {role: router, loopback: {ipv6: 2001:db8::1/64}}, r2: {role: router}, h3: , r4: {role: router, loopback: {ipv4: 10.77.0.4/24}}}
`;

function graph(links: string, family: Family): Graph {
  const lab = labOf(`${head}links: ${links}\n`);
  return graphOf(lab.nodes, lab.links, family);
}

/** A row per segment: its network, and who is on it with which address. */
function segments({ segments: all, destinations }: Graph): string[] {
  return all.map(({ destination, members }) =>
    [
      destinations[destination] === undefined ? destination : formatPrefix(destinations[destination]),
      ...members.map(({ node, address, dev }) =>
        [node, address, ...(dev === undefined ? [] : [dev])].join('='),
      ),
    ].join(' '),
  );
}

describe('segments', () => {
  test('are the ends of a link in one network, in their order', () => {
    const found = graph('[r2-r1, r1-h3-r2]', 'ipv4');
    expect(segments(found)).toEqual([
      '10.1.0.0/30 1=10.1.0.2 0=10.1.0.1',
      '172.16.0.0/24 0=172.16.0.1 2=172.16.0.3 1=172.16.0.2',
    ]);
    expect(found.segmentsOf).toEqual([[0, 1], [0, 1], [1], []]);
  });

  test('are several where the ends of one link are in several networks', () => {
    const found = graph(
      '[{r1: {ipv4: 10.2.0.1/24}, r2: {ipv4: 10.3.0.2/24}, h3: {ipv4: 10.2.0.3/24}, prefix: false}]',
      'ipv4',
    );
    expect(segments(found)).toEqual(['10.2.0.0/24 0=10.2.0.1 2=10.2.0.3', '10.3.0.0/24 1=10.3.0.2']);
    expect(found.segmentsOf).toEqual([[0], [1], [0], []]);
  });

  test('have a node with two ends twice, and the node has them once', () => {
    const found = graph('[r1-r1]', 'ipv4');
    expect(segments(found)).toEqual(['10.1.0.0/30 0=10.1.0.1 0=10.1.0.2']);
    expect(found.segmentsOf).toEqual([[0], [], [], []]);
  });

  test('are without those who have no address of the family', () => {
    const links = '[r1-r2, r1-h3, {r1: {ipv4: false}, r2: }]';
    expect(segments(graph(links, 'ipv6'))).toEqual([
      '2001:db8:1::/64 0=2001:db8:1::1 1=2001:db8:1::2',
      '2001:db8:1:1::/64 0=2001:db8:1:1::1 1=2001:db8:1:1::2',
    ]);
    expect(segments(graph(links, 'ipv4'))).toEqual([
      '10.1.0.0/30 0=10.1.0.1 1=10.1.0.2',
      '172.16.0.0/24 0=172.16.0.1 2=172.16.0.3',
      '10.1.0.4/30 1=10.1.0.6',
    ]);
  });

  test('of unnumbered ends have no network, the addresses of the loopbacks, and the interface', () => {
    const found = graph('[h3, {r1: , r2: , h3: , r4: {ipv4: 10.8.0.9/24}, prefix: {ipv4: true}}]', 'ipv4');
    expect(segments(found)).toEqual([
      '172.16.0.0/24 2=172.16.0.3',
      '-1 0=10.0.0.1=eth1 1=10.0.0.2=eth1',
      '10.8.0.0/24 3=10.8.0.9',
    ]);
    const [, unnumbered, network] = found.segments;
    expect(nextHop(unnumbered!, 0, '10.0.0.2')).toEqual({ via: '10.0.0.2', dev: 'eth1' });
    expect(nextHop(network!, 3, '10.8.0.7')).toStrictEqual({ via: '10.8.0.7' });
    expect(nextHop(unnumbered!, 2, '10.0.0.2')).toEqual({ via: '10.0.0.2' });
    expect(segments(graph('[{r1: , r2: , prefix: {ipv4: true}}]', 'ipv6'))).toEqual([]);
  });

  test('are the interface of the node that sends, not of the one that is sent to', () => {
    const [, unnumbered] = graph('[r2-h3, {r1: , r2: , prefix: {ipv4: true}}]', 'ipv4').segments;
    expect(nextHop(unnumbered!, 0, '10.0.0.2')).toEqual({ via: '10.0.0.2', dev: 'eth1' });
    expect(nextHop(unnumbered!, 1, '10.0.0.1')).toEqual({ via: '10.0.0.1', dev: 'eth2' });
  });
});

test('destinations are all networks, once, sorted: a network before those in it', () => {
  const links = '[r2-h3, r1-r2, {r2: , prefix: 10.0.0.0/30}, {r4: {ipv4: 10.77.0.9/24}}]';
  const found = graph(links, 'ipv4');
  const networks = [
    '10.0.0.0/30',
    '10.0.0.1/32',
    '10.0.0.2/32',
    '10.1.0.0/30',
    '10.77.0.0/24',
    '172.16.0.0/24',
  ];
  expect(found.destinations.map(formatPrefix)).toEqual(networks);
  expect(found.loopbackOf).toEqual([1, 2, -1, 4]);
  expect(found.segments.map(({ destination }) => destination)).toEqual([5, 3, 0, 4]);
  expect(graph(links, 'ipv6')).toMatchObject({ loopbackOf: [0, -1, -1, -1], family: 'ipv6' });
});

test('routers are marked', () => {
  expect(graph('[r1-h3]', 'ipv4')).toMatchObject({ isRouter: [true, true, false, true], family: 'ipv4' });
});
