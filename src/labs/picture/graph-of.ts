import type { LabTopology, TopologyEndpoint, TopologyLink, TopologyNode } from '../drivers/topology.ts';
import type { Box, EndText, Graph, Line } from './picture.ts';
import { labelLineHeight, labelWidth, nameWidth } from './text-size.ts';

export const nodeHeight = 46;
const nodeWidthMin = 84;
const sidePadding = 16;
const nameFontSize = 13;
const deviceFontSize = 10.5;

export const nodeBoxId = (name: string): string => `n:${name}`;
export const linkBoxId = (id: string): string => `l:${id}`;

/** Whether a link is drawn as a line between its two nodes, and not as a network of its own. */
export function isLine({ endpoints }: TopologyLink): boolean {
  return endpoints.length === 2;
}

/** The text in the box of a network. */
export function networkTexts({ prefix, type }: TopologyLink): readonly string[] {
  const texts = [prefix.ipv4, prefix.ipv6].filter((text) => text !== null);
  return texts.length > 0 ? texts : [type];
}

function nodeBox({ name, device }: TopologyNode, rank: number | undefined): Box {
  const text = Math.max(nameWidth(name, nameFontSize), nameWidth(device ?? '', deviceFontSize));
  const width = Math.max(nodeWidthMin, Math.ceil(text) + 2 * sidePadding);
  return { id: nodeBoxId(name), width, height: nodeHeight, rank };
}

/** Between the farthest of its nodes and the others: those of a leaf's network are drawn as leaf, network, hosts. */
function networkRank({ endpoints }: TopologyLink, ranks: ReadonlyMap<string, number>): number | undefined {
  const known = endpoints.flatMap(({ node }) => ranks.get(node) ?? []);
  return known.length === 0 ? undefined : Math.max(...known) - 0.5;
}

function networkBox(link: TopologyLink, rank: number | undefined): Box {
  const texts = networkTexts(link);
  const width = Math.ceil(Math.max(...texts.map(labelWidth))) + 20;
  return { id: linkBoxId(link.id), width, height: texts.length * labelLineHeight + 10, rank };
}

/** Undefined in a drawing of a file that says nothing of the end. */
function textOf({ interface: name, ipv4, ipv6 }: TopologyEndpoint): EndText | undefined {
  const below = [ipv4, ipv6].filter((text) => text !== null);
  return name === '' && below.length === 0 ? undefined : { above: name, below };
}

function linesOf(link: TopologyLink): Line[] {
  const [first, second] = link.endpoints;
  if (isLine(link) && first && second)
    return [
      {
        from: nodeBoxId(first.node),
        to: nodeBoxId(second.node),
        fromText: textOf(first),
        toText: textOf(second),
      },
    ];
  return link.endpoints.map((end) => {
    return { from: nodeBoxId(end.node), to: linkBoxId(link.id), fromText: textOf(end), toText: undefined };
  });
}

/** How many links each node is away from the nearest of `seeds`. */
function distancesFrom(seeds: readonly string[], links: readonly TopologyLink[]): Map<string, number> {
  const linksOf = new Map<string, TopologyLink[]>();
  for (const link of links)
    for (const { node } of link.endpoints) linksOf.set(node, [...(linksOf.get(node) ?? []), link]);
  const distances = new Map(seeds.map((name) => [name, 0]));
  // Iterating over a Map visits keys that are added meanwhile.
  for (const [name, distance] of distances) {
    const neighbours = (linksOf.get(name) ?? []).flatMap(({ endpoints }) => endpoints);
    for (const { node } of neighbours) if (!distances.has(node)) distances.set(node, distance + 1);
  }
  return distances;
}

/** The links that there is something to draw of. An end whose node is not there is left out: a snapshot may be damaged. */
export function soundLinks({ nodes, links }: LabTopology): readonly TopologyLink[] {
  const names = new Set(nodes.map(({ name }) => name));
  return links
    .map((link) => ({ ...link, endpoints: link.endpoints.filter(({ node }) => names.has(node)) }))
    .filter(({ endpoints }) => endpoints.length > 0);
}

/** For each line of the graph: its link, and the nodes that it joins; only one where it meets a network. */
export function lineOwners(
  links: readonly TopologyLink[],
): readonly { readonly link: TopologyLink; readonly nodes: readonly string[] }[] {
  return links.flatMap((link) => {
    const nodes = link.endpoints.map(({ node }) => node);
    return isLine(link) ? [{ link, nodes }] : nodes.map((node) => ({ link, nodes: [node] }));
  });
}

/** How many boxes and lines the graph has. To make it takes time that grows with the square of their number. */
export function graphSize(topology: LabTopology): { readonly boxes: number; readonly lines: number } {
  const links = soundLinks(topology);
  const networks = links.filter((link) => !isLine(link));
  const inNetworks = networks.reduce((sum, { endpoints }) => sum + endpoints.length, 0);
  return {
    boxes: topology.nodes.length + networks.length,
    lines: links.length - networks.length + inNetworks,
  };
}

/** Returns the boxes of all nodes, then of networks, and the lines of all links, in the order of the topology. */
export function graphOf(topology: LabTopology): Graph {
  const links = soundLinks(topology);
  const hosts = topology.nodes.filter(({ role }) => role === 'host').map(({ name }) => name);
  const ranks = distancesFrom(hosts, links);
  const networks = links.filter((link) => !isLine(link));
  return {
    boxes: [
      ...topology.nodes.map((node) => nodeBox(node, ranks.get(node.name))),
      ...networks.map((link) => networkBox(link, networkRank(link, ranks))),
    ],
    lines: links.flatMap(linesOf),
  };
}
