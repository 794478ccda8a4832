import { describe, expect, test } from '@jest/globals';
import type { Lab } from '../../../../src/engine/core/lab.ts';
import { Forwarding } from '../../../support/forwarding.ts';
import { labOf, routersInALine } from '../../../support/topologies.ts';

function routesOf(lab: Lab, name: string): string[] {
  const { routes } = lab.nodes.find((node) => node.name === name)!;
  return routes.map(({ to, via }) => (via === null ? `unreachable ${to}` : `${to} via ${via}`));
}

describe('hosts', () => {
  test('send to every pool through the first router of their first link that has one', () => {
    const lab = labOf('{nodes: {h: , a: , r1: {role: router}, r2: {role: router}}, links: [h-a, h-r2-r1]}');
    expect(routesOf(lab, 'h')).toEqual([
      '10.0.0.0/24 via 172.16.1.4',
      '172.16.0.0/16 via 172.16.1.4',
      '10.1.0.0/16 via 172.16.1.4',
    ]);
    expect(routesOf(lab, 'a')).toEqual([]);
  });

  test('know prefixes outside of the pools, joined where they are neighbours, without their own', () => {
    const lab = labOf(`
nodes: {h: , g: , r: {role: router}}
links:
- {h: , r: , prefix: 192.168.9.0/24}
- {g: , r: , prefix: 192.168.4.0/24}
- {r: , prefix: 192.168.5.0/24}
`);
    expect(routesOf(lab, 'h').slice(3)).toEqual(['192.168.4.0/23 via 192.168.9.3']);
    expect(routesOf(lab, 'g').slice(3)).toEqual([
      '192.168.4.0/23 via 192.168.4.3',
      '192.168.9.0/24 via 192.168.4.3',
    ]);
  });

  test('between two islands use the gateway of each', () => {
    const lab = labOf(`
nodes: {h: , r1: {role: router}, r2: {role: router}, a: , b: }
links: [h-r1, h-r2, r1-a, r2-b]
`);
    // No routes to its own two networks: the kernel has these itself, and would refuse or prefer others.
    expect(routesOf(lab, 'h')).toEqual([
      '10.0.0.0/24 via 172.16.0.2',
      '172.16.0.0/16 via 172.16.0.2',
      '10.1.0.0/16 via 172.16.0.2',
      '10.0.0.3/32 via 172.16.1.3',
      '172.16.3.0/24 via 172.16.1.3',
    ]);
  });

  test('have no route to their own loopback, and reach that of a host beyond the other gateway', () => {
    const lab = labOf(`
nodes: {h: {loopback: {ipv4: 10.77.0.9/32}}, r1: {role: router}, r2: {role: router}, g: {loopback: true}}
links: [h-r1, h-r2, g-r2]
`);
    const pools = ['10.0.0.0/24', '172.16.0.0/16', '10.1.0.0/16'];
    expect(routesOf(lab, 'h')).toEqual([
      ...pools.map((pool) => `${pool} via 172.16.0.2`),
      '10.0.0.3/32 via 172.16.1.3',
      '10.0.0.4/32 via 172.16.1.3',
      '172.16.2.0/24 via 172.16.1.3',
    ]);
    expect(routesOf(lab, 'g')).toEqual([...pools, '10.77.0.9/32'].map((to) => `${to} via 172.16.2.3`));
  });

  test('with two gateways to the same routers use the first alone', () => {
    const lab = labOf('{nodes: {h: , r1: {role: router}, r2: {role: router}}, links: [h-r1, h-r2, r1-r2]}');
    expect(new Set(lab.nodes[0]!.routes.map(({ via }) => via))).toEqual(new Set(['172.16.0.2']));
  });
});

describe('routers', () => {
  test('have no route to what does not exist, so that nothing goes in circles', () => {
    const lab = labOf(routersInALine(6));
    const network = new Forwarding(lab);
    for (const address of ['10.1.0.200', '10.8.0.77', '10.8.0.0', '2001:db8:ff00:99::1'])
      expect(network.send('r3', address)).toMatch(/^r\d has no route/);
  });

  test('have routes to neighbours without a network first, by each over one interface, and no second to the same', () => {
    const head = 'addressing: {p2p: {unnumbered: true}, loopback: {ipv6: 2001:db8:4::/48}}';
    const lab = labOf(
      `${head}\nnodes: {r1: {role: router}, r2: {role: router}, r3: {role: router}, h: }\nlinks: [r1-r2, r2-r1, r2-r3, r3-h]`,
    );
    const ways = (name: string) =>
      lab.nodes
        .find((node) => node.name === name)!
        .routes.map(({ to, via, dev }) => [to, via, ...(dev === undefined ? [] : [dev])].join(' '));
    expect(ways('r2')).toEqual([
      '10.0.0.1/32 10.0.0.1 eth1',
      '10.0.0.3/32 10.0.0.3 eth3',
      '10.0.0.2/31 10.0.0.3 eth3',
      '172.16.0.0/24 10.0.0.3 eth3',
      '2001:db8:4:1::1/128 2001:db8:4:1::1 eth1',
      '2001:db8:4:3::1/128 2001:db8:4:3::1 eth3',
      '2001:db8:4:1::/64 2001:db8:4:1::1 eth1',
      '2001:db8:4:2::/63 2001:db8:4:3::1 eth3',
    ]);
    expect(ways('h')).toEqual(['10.0.0.0/24 172.16.0.3', '172.16.0.0/16 172.16.0.3']);
  });

  test('have an unreachable route to each prefix that another of theirs covers, and to no other', () => {
    const nodes = 'nodes: {h1: , r1: {role: router}, r2: {role: router}, r3: {role: router}, h2: }';
    const lab = labOf(
      `${nodes}\nlinks: [h1-r1, r1-r2, r2-r3, r3-h2, {r3: , prefix: 172.16.2.0/24}, {r2: , prefix: 172.16.3.0/24}]`,
    );
    expect(routesOf(lab, 'r2')).toEqual([
      '10.0.0.2/31 via 10.1.0.1',
      '10.0.0.4/32 via 10.1.0.6',
      '172.16.0.0/22 via 10.1.0.1',
      '172.16.1.0/24 via 10.1.0.6',
      '172.16.2.0/23 via 10.1.0.6',
      'unreachable 172.16.1.0/24',
      'unreachable 172.16.2.0/23',
      'unreachable 172.16.3.0/24',
    ]);
    // No route covers the networks of r3: the kernel removes its own route with the link.
    expect(routesOf(lab, 'r3')).toEqual([
      '10.0.0.2/31 via 10.1.0.5',
      '10.1.0.0/29 via 10.1.0.5',
      '172.16.0.0/22 via 10.1.0.5',
      'unreachable 10.1.0.4/30',
      'unreachable 172.16.1.0/24',
      'unreachable 172.16.2.0/24',
    ]);
  });
});

test('a node that has the address of its own next hop has no route over it: the kernel would refuse that', () => {
  const lab = labOf(
    `nodes: {r1: {role: router}, r2: {role: router}, h1: }\nlinks:\n- {r1: {ipv4: 10.8.0.1/24}, r2: {ipv4: 10.8.0.2/24}}\n- {r1: {ipv4: 10.8.0.2/24}}\n- r2-h1\n`,
  );
  const { routes, interfaces } = lab.nodes[0]!;
  expect(interfaces.map(({ ipv4 }) => ipv4)).toEqual(['10.8.0.1/24', '10.8.0.2/24']);
  expect(routes).toEqual([]);
  expect(routesOf(lab, 'r2')).toEqual(['10.0.0.1/32 via 10.8.0.1']);
});
