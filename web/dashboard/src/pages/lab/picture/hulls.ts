/** The areas of groups: what lies around all boxes of a group, and whatever is between them. */
import type { Point } from '../../../../../../src/labs/picture/picture.ts';
import type { PlacedBox } from '../../../../../../src/labs/picture/place.ts';

/** Which way one turns from `a` over `b` to `c`: positive to the right, as y goes down. */
const turn = (a: Point, b: Point, c: Point): number => (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);

/** One half of the hull: of points from left to right the upper one, of those from right to left the lower one. */
function half(points: readonly Point[]): Point[] {
  const chain: Point[] = [];
  for (const point of points) {
    for (;;) {
      const [a, b] = [chain.at(-2), chain.at(-1)];
      if (!a || !b || turn(a, b, point) > 0) break;
      chain.pop();
    }
    chain.push(point);
  }
  return chain.slice(0, -1);
}

/** The corners of the smallest convex shape around all the boxes, in order (Andrew's monotone chain). */
export function hullOf(boxes: readonly PlacedBox[]): Point[] {
  const corners = boxes
    .flatMap(({ x, y, width, height }) =>
      [-1, 1].flatMap((h) => [-1, 1].map((v) => ({ x: x + (h * width) / 2, y: y + (v * height) / 2 }))),
    )
    .toSorted((a, b) => a.x - b.x || a.y - b.y);
  return [...half(corners), ...half(corners.toReversed())];
}
