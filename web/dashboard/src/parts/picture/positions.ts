/** Translates between the boxes of a picture and the layout of the API. */
import type { LabLayout } from '../../../../../src/client/api-types.ts';
import { linkBoxId, nodeBoxId } from '../../../../../src/labs/picture/graph-of.ts';
import type { Point, Positions } from '../../../../../src/labs/picture/picture.ts';

export function positionsOf({ nodes, links }: LabLayout): Positions {
  return Object.fromEntries([
    ...Object.entries(nodes).map(([name, at]) => [nodeBoxId(name), at] as const),
    ...Object.entries(links).map(([id, at]) => [linkBoxId(id), at] as const),
  ]);
}

/** The layout with these boxes at their new positions, in whole pixels. */
export function withMoved({ nodes, links }: LabLayout, moved: ReadonlyMap<string, Point>): LabLayout {
  const next = { nodes: { ...nodes }, links: { ...links } };
  for (const [id, { x, y }] of moved) {
    const at = { x: Math.round(x), y: Math.round(y) };
    const name = id.slice(2);
    if (id === nodeBoxId(name)) next.nodes[name] = at;
    else next.links[name] = at;
  }
  return next;
}
