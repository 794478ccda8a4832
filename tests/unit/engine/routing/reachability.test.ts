import { describe, expect, test } from '@jest/globals';
import type { Lab } from '../../../../src/engine/core/lab.ts';
import { Forwarding, withShutLink } from '../../../support/forwarding.ts';
import { randomTopology } from '../../../support/random-topology.ts';
import { labOf } from '../../../support/topologies.ts';
import { seeds } from '../../../support/thorough.ts';

/** Per node name and family, the groups of links that routers join. Written apart from the engine's. */
function componentsOf({ nodes }: Lab, family: 'ipv4' | 'ipv6'): Map<number, number> {
  const island = new Map<number, number>();
  const links = new Set(nodes.flatMap((node) => node.interfaces.map(({ linkIndex }) => linkIndex)));
  for (const link of links) island.set(link, link);
  for (let changed = true; changed;) {
    changed = false;
    for (const { interfaces } of nodes.filter(({ role }) => role === 'router')) {
      const own = interfaces.filter((each) => each[family] !== undefined).map(({ linkIndex }) => linkIndex);
      const lowest = Math.min(...own.map((link) => island.get(link)!));
      const higher = own.filter((link) => island.get(link) !== lowest);
      higher.forEach((link) => island.set(link, lowest));
      changed ||= higher.length > 0;
    }
  }
  return island;
}

/** The packets lost between any node and any address that routers connect it to, in both directions. */
function lost(lab: Lab): string[] {
  const network = new Forwarding(lab);
  const failures: string[] = [];
  for (const { node: to, address, linkIndex } of network.addresses()) {
    const family = address.includes(':') ? 'ipv6' : 'ipv4';
    const islands = componentsOf(lab, family);
    const owner = lab.nodes.find(({ name }) => name === to)!;
    const ofAddress = linkIndex ?? owner.interfaces.find((each) => each[family] !== undefined)?.linkIndex;
    for (const { name, interfaces } of lab.nodes) {
      const own = interfaces.filter((each) => each[family] !== undefined);
      const isJoined = own.some((each) => islands.get(each.linkIndex) === islands.get(ofAddress ?? -1));
      if (!isJoined || name === to) continue;
      const there = network.send(name, address);
      const source = network.sourceOf(name, address);
      const back = source === undefined ? 'no source address' : network.send(to, source);
      if (there !== 'delivered') failures.push(`${name} → ${address} of ${to}: ${there}`);
      if (back !== 'delivered') failures.push(`${to} → ${source ?? '?'} of ${name}: ${back}`);
    }
  }
  return failures;
}

/** The packets that go in circles when any one router has shut any one of its links. */
function circles(lab: Lab): string[] {
  const addresses = new Forwarding(lab).addresses().map(({ address }) => address);
  const routers = lab.nodes.filter(({ role }) => role === 'router');
  const cases = routers.flatMap(({ name, interfaces }) => interfaces.map((shut) => ({ name, shut })));
  return cases.flatMap(({ name, shut }) => {
    const network = new Forwarding(withShutLink(lab, name, shut));
    const ways = lab.nodes.flatMap((from) => addresses.map((address) => network.send(from.name, address)));
    return ways.filter((way) => way.startsWith('loop'));
  });
}

describe('every address reaches every other, and the answer comes back', () => {
  test.each(seeds(120, 4))('random topology %i', (seed) => {
    expect(lost(labOf(randomTopology(seed)))).toEqual([]);
  });

  test('from a host between two islands', () => {
    const nodes = 'nodes: {h: , r1: {role: router}, r2: {role: router}, a: , b: }';
    expect(lost(labOf(`${nodes}\nlinks: [h-r1, h-r2, r1-a, r2-b]`))).toEqual([]);
  });

  test('from and to a router with both ends of a link', () => {
    expect(lost(labOf('{nodes: {r1: {role: router}, r2: {role: router}}, links: [r1-r1, r1-r2]}'))).toEqual(
      [],
    );
  });
});

describe('a link that is shut', () => {
  test('leaves nothing that goes in circles: what a joined route covers is unreachable', () => {
    const lab = labOf(
      '{nodes: {h1: , h2: , r1: {role: router}, r2: {role: router}, r3: {role: router}}, links: [r1-r2, r2-r3, h1-r1, h2-r2]}',
    );
    const withoutSpares = lab.nodes.map((node) => ({
      ...node,
      routes: node.routes.filter(({ via }) => via !== null),
    }));
    expect(circles({ ...lab, nodes: withoutSpares })).not.toEqual([]);
    expect(circles(lab)).toEqual([]);
  });

  test('in random labs too, of both families', () => {
    for (const seed of seeds(40, 5)) {
      const lab = labOf(randomTopology(seed));
      expect({ seed, circles: circles(lab) }).toEqual({ seed, circles: [] });
    }
  });
});

test('the routes of a topology are the same however often they are computed', () => {
  expect(labOf(randomTopology(7))).toEqual(labOf(randomTopology(7)));
});
