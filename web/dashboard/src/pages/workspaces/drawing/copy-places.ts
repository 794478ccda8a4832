import type { Point, Positions } from '../../../../../../src/labs/picture/picture.ts';
import type { PlacedBox } from '../../../../../../src/labs/picture/place.ts';
import { nodeBoxId } from '../../../../../../src/labs/picture/graph-of.ts';
import type { Drawing, Edit } from '../../../parts/drawing/drawing.ts';
import { areApart, freePlace } from '../../../parts/picture/kept-layout.ts';

/** The size of a new node, whose name is not known yet. */
export const newBox = { width: 100, height: 46 };

/** Between one try to find room and the next. */
const step = 40;
const triesMax = 50;

/** The places of copies: below the boxes that are copied, as far as needed for a free area. */
export function copyPlaces(copied: readonly PlacedBox[], all: readonly PlacedBox[]): Point[] {
  for (let nth = 2; nth < triesMax; nth++) {
    const moved = copied.map((box) => ({ ...box, y: box.y + nth * step }));
    if (moved.every((box) => all.every((other) => areApart(box, other))))
      return moved.map(({ x, y }) => ({ x, y }));
  }
  return copied.map(({ x, y }) => ({ x: x + step, y: y + step }));
}

const newNames = (edit: Edit): readonly string[] => {
  if (edit.kind === 'add-node') return [edit.name];
  return edit.kind === 'copy-nodes' ? [...edit.copies.values()] : [];
};

/**
 * The places of new nodes whose names have one from an earlier node: that node may be there still, under another name. The others
 * get a place when they are drawn.
 */
export function placesOfNew(edit: Edit, { nodes }: Drawing, given: Positions): Map<string, Point> {
  const atPlace = (at: Point): PlacedBox => ({ ...at, ...newBox });
  const taken = nodes.flatMap(({ name }) => given[nodeBoxId(name)] ?? []).map(atPlace);
  const places = new Map<string, Point>();
  for (const id of newNames(edit).map(nodeBoxId)) {
    const before = given[id];
    if (!before) continue;
    const at = freePlace(newBox, before, taken);
    taken.push(atPlace(at));
    places.set(id, at);
  }
  return places;
}
