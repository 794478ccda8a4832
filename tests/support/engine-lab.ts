/** Labs by hand, for tests of the engine's run time: addresses are simple, and every address reaches every other. */
import type { Lab, LabLink, LabNode, Role, Route } from '../../src/engine/core/lab.ts';
import { labOf } from './topologies.ts';

interface LabSpec {
  readonly instance?: string;
  readonly name?: string;
  /** Names that begin with `r` are routers. */
  readonly links: readonly (readonly string[])[];
  /** False leaves all static routes out: in a long line they are a million. */
  readonly routed?: boolean;
  readonly ipv6?: boolean;
}

const prefixOf = (index: number): string => `10.${100 + Math.floor(index / 250)}.${index % 250}`;
const prefix6Of = (index: number): string => `fd00:0:${index.toString(16)}:`;
const roleOf = (name: string): Role => (name.startsWith('r') ? 'router' : 'host');

function addressOf(links: readonly (readonly string[])[], link: number, node: string, family: 4 | 6): string {
  const position = links[link]!.indexOf(node) + 1;
  return family === 4 ? `${prefixOf(link + 1)}.${position}` : `${prefix6Of(link + 1)}:${position}`;
}

interface FirstHop {
  /** Index of the link to reach. */
  readonly link: number;
  /** Index of the link to go out by. */
  readonly out: number;
  /** The neighbour at the other end of that. */
  readonly via: string;
}

/** The first hop from `start` to each link that is not its own. */
function firstHops(links: readonly (readonly string[])[], start: string): FirstHop[] {
  const linksOf = (node: string): number[] =>
    links.flatMap((ends, index) => (ends.includes(node) ? [index] : []));
  const own = new Set(linksOf(start));
  const seen = new Set([start]);
  const hops: FirstHop[] = [];
  let wave = linksOf(start).flatMap((out) =>
    links[out]!.filter((end) => end !== start).map((end) => ({ node: end, out, via: end })),
  );
  const reached = new Set(own);
  while (wave.length > 0) {
    const fresh = wave.filter(({ node }) => !seen.has(node) && roleOf(node) === 'router');
    fresh.forEach(({ node }) => seen.add(node));
    for (const { node, out, via } of fresh) {
      for (const link of linksOf(node).filter((index) => !reached.has(index))) {
        reached.add(link);
        hops.push({ link, out, via });
      }
    }
    wave = fresh.flatMap(({ node, out, via }) =>
      linksOf(node).flatMap((link) => links[link]!.map((end) => ({ node: end, out, via }))),
    );
  }
  return hops;
}

export function handMadeLab({
  instance = 'default',
  name = 'lab',
  links,
  routed = true,
  ipv6 = false,
}: LabSpec): Lab {
  const names = [...new Set(links.flat())];
  const typeOf = (ends: readonly string[]): LabLink['type'] => (ends.length === 1 ? 'stub' : 'lan');
  const nodes = names.map((node, index): LabNode => {
    const own = links.flatMap((ends, link) => (ends.includes(node) ? [link] : []));
    const hops = routed ? firstHops(links, node) : [];
    const routes: Route[] = hops.flatMap(({ link, out, via }) => [
      { to: `${prefixOf(link + 1)}.0/24`, via: addressOf(links, out, via, 4) },
      ...(ipv6 ? [{ to: `${prefix6Of(link + 1)}:/64`, via: addressOf(links, out, via, 6) }] : []),
    ]);
    return {
      name: node,
      id: index + 1,
      device: 'linux',
      role: roleOf(node),
      loopback: null,
      interfaces: own.map((link, position) => ({
        ifname: `eth${position + 1}`,
        linkIndex: link + 1,
        type: typeOf(links[link]!),
        ipv4: `${addressOf(links, link, node, 4)}/24`,
        ...(ipv6 ? { ipv6: `${addressOf(links, link, node, 6)}/64` } : {}),
      })),
      routes,
    };
  });
  const ifnameOf = (node: string, link: number): string =>
    nodes.find((entry) => entry.name === node)!.interfaces.find((entry) => entry.linkIndex === link + 1)!
      .ifname;
  return {
    name,
    instance,
    provider: 'netns',
    message: null,
    nodes,
    links: links.map((ends, link) => ({
      linkIndex: link + 1,
      type: typeOf(ends),
      prefix: { ipv4: `${prefixOf(link + 1)}.0/24` },
      ends: ends.map((node) => ({ node, ifname: ifnameOf(node, link) })),
    })),
  };
}

/** A triangle of routers with a host at each corner. */
export const triangle = [
  ['r1', 'r2'],
  ['r2', 'r3'],
  ['r3', 'r1'],
  ['h1', 'r1'],
  ['h2', 'r2'],
  ['h3', 'r3'],
] as const;

/** `count` nodes in a row. */
export function line(count: number): string[][] {
  return Array.from({ length: count - 1 }, (_, index) => [`r${index + 1}`, `r${index + 2}`]);
}

/** Many routers in a row, with the routes that the engine computes: those by hand would take too long. */
export function routerLine(count: number, instance: string): Lab {
  const links = line(count);
  const nodes = [...new Set(links.flat())].map((name) => `${name}: {role: router}`);
  const names = links.map((ends) => ends.join('-'));
  const pool = 'addressing.loopback.ipv4: 10.8.0.0/16';
  return { ...labOf(`{${pool}, nodes: {${nodes.join(', ')}}, links: [${names.join(', ')}]}`), instance };
}
