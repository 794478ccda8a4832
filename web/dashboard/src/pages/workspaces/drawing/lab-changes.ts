/** The changes from a running lab to the drawing of its file, as sentences. */
import type { LabTopology } from '../../../../../../src/client/api-types.ts';
import type { Drawing } from '../../../parts/drawing/drawing.ts';

const linkKey = (nodes: readonly string[]): string => nodes.toSorted().join(' – ');

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
    links: drawing.links.map(({ ends }) => linkKey(ends.map(({ node }) => node))),
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
