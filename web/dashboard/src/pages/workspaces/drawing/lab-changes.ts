/** A running lab beside the drawing of its file: their differences as sentences, and the parts that are the same. */
import type { LabTopology, TopologyLink } from '../../../../../../src/client/api-types.ts';
import type { Drawing, DrawnLink } from '../../../parts/drawing/drawing.ts';

const linkKey = (nodes: readonly string[]): string => nodes.toSorted().join(' – ');

/** netlab makes a link to the bridge of each end. */
function keysOf({ ends, bridge }: DrawnLink): string[] {
  const nodes = ends.map(({ node }) => node);
  return bridge === undefined ? [linkKey(nodes)] : nodes.map((node) => linkKey([bridge, node]));
}

/** How often each key occurs. */
function tally(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

/** The keys that `a` has more often than `b`. */
function more(a: readonly string[], b: readonly string[]): string[] {
  const others = tally(b);
  return [...tally(a)].flatMap(([key, count]) => {
    const extra = count - (others.get(key) ?? 0);
    return extra > 0 ? [extra === 1 ? key : `${key} (${extra} times)`] : [];
  });
}

export interface LabChange {
  readonly title: string;
  readonly names: readonly string[];
}

export function labChanges({ nodes, links }: LabTopology, drawing: Drawing): LabChange[] {
  const running = {
    nodes: nodes.map(({ name }) => name),
    links: links.map(({ endpoints }) => linkKey(endpoints.map(({ node }) => node))),
  };
  const drawn = {
    nodes: drawing.nodes.map(({ name }) => name),
    links: drawing.links.flatMap(keysOf),
  };
  const devices = new Map(nodes.map(({ name, device }) => [name, device]));
  const changed = drawing.nodes.flatMap(({ name, device }) => {
    const before = devices.get(name);
    const isOther = before !== undefined && before !== null && device !== null && before !== device;
    return isOther ? [`${name} (${before} → ${device})`] : [];
  });
  const all = [
    { title: 'New nodes', names: more(drawn.nodes, running.nodes) },
    { title: 'Removed nodes', names: more(running.nodes, drawn.nodes) },
    { title: 'Nodes with another device', names: changed },
    { title: 'New links', names: more(drawn.links, running.links) },
    { title: 'Removed links', names: more(running.links, drawn.links) },
  ];
  return all.filter(({ names }) => names.length > 0);
}

/** Whether the lab has a node of that name, and no other device for it. */
export function hasNode({ nodes }: LabTopology, drawing: Drawing, name: string): boolean {
  const running = nodes.find((node) => node.name === name);
  const drawn = drawing.nodes.find((node) => node.name === name);
  if (!running || !drawn) return false;
  return running.device === null || drawn.device === null || running.device === drawn.device;
}

const drawnKey = ({ ends }: DrawnLink): string => linkKey(ends.map(({ node }) => node));

/** Whether the interfaces that a drawn link names are those of a link of the lab. */
function fits({ ends }: DrawnLink, { endpoints }: TopologyLink): boolean {
  const names = new Set(endpoints.map((end) => `${end.node} ${end.interface}`));
  return ends.every((end) => end.interface === null || names.has(`${end.node} ${end.interface}`));
}

/** The link of the lab that is a link of the drawing; undefined if the two differ between these nodes. */
export function linkInLab({ links }: LabTopology, drawing: Drawing, id: string): TopologyLink | undefined {
  const wanted = drawing.links.find((link) => link.id === id);
  if (!wanted) return undefined;
  const key = drawnKey(wanted);
  const drawn = drawing.links.filter((link) => drawnKey(link) === key);
  const running = links.filter(({ endpoints }) => linkKey(endpoints.map(({ node }) => node)) === key);
  if (drawn.length !== running.length) return undefined;
  // Links between the same nodes have the order of the file, unless it names their interfaces.
  const isNamed = wanted.ends.some((end) => end.interface !== null);
  const found = isNamed ? running.find((link) => fits(wanted, link)) : running[drawn.indexOf(wanted)];
  return found && fits(wanted, found) ? found : undefined;
}
