/** Moves boxes in the layout of the API. */
import type { LabLayout } from '../../../../../src/client/api-types.ts';
import { linkBoxId, nodeBoxId } from '../../../../../src/labs/picture/graph-of.ts';
import type { Point } from '../../../../../src/labs/picture/picture.ts';
import type { KeyedLink } from '../../../../../src/labs/picture/positions.ts';

/** The positions with the present keys. Positions of unknown links stay: they are of other files. */
function withNewKeys(links: LabLayout['links'], known: readonly KeyedLink[]): LabLayout['links'] {
  const keys = new Set(known.map(({ key }) => key));
  const former = new Map(known.map(({ key, formerKey }) => [formerKey, key]));
  const entries = Object.entries(links).flatMap(([key, at]) => {
    const now = keys.has(key) ? undefined : former.get(key);
    if (now === undefined) return [[key, at] as const];
    return Object.hasOwn(links, now) ? [] : [[now, at] as const];
  });
  return Object.fromEntries(entries);
}

/** The layout with these boxes at their new positions, in whole pixels. */
export function withMoved(
  { nodes, links }: LabLayout,
  moved: ReadonlyMap<string, Point>,
  known: readonly KeyedLink[],
): LabLayout {
  const next = { nodes: { ...nodes }, links: withNewKeys(links, known) };
  const keys = new Map(known.map(({ id, key }) => [linkBoxId(id), key]));
  for (const [id, { x, y }] of moved) {
    const at = { x: Math.round(x), y: Math.round(y) };
    const name = id.slice(2);
    const key = keys.get(id);
    if (id === nodeBoxId(name)) next.nodes[name] = at;
    else if (key !== undefined) next.links[key] = at;
  }
  return next;
}

/** The layout without the boxes of these nodes and links: a workspace may have other topologies. */
export function withoutBoxes(
  { nodes, links }: LabLayout,
  names: readonly string[],
  known: readonly KeyedLink[],
): LabLayout {
  const keys = new Set(known.flatMap(({ key, formerKey }) => [key, formerKey]));
  return {
    nodes: Object.fromEntries(Object.entries(nodes).filter(([name]) => !names.includes(name))),
    links: Object.fromEntries(Object.entries(links).filter(([key]) => !keys.has(key))),
  };
}
