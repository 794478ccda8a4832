/** The areas of groups: the convex hull of the boxes of a group. */
import type { Point } from '../../../../../src/labs/picture/picture.ts';
import type { PlacedBox } from '../../../../../src/labs/picture/place.ts';

/** The turn from `a` over `b` to `c`: positive to the right, because y goes down. */
const turn = (a: Point, b: Point, c: Point): number => (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);

/** One half of the hull: the upper half for points from left to right, the lower half for points from right to left. */
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

/** The corners of the convex hull of all boxes, in order (Andrew's monotone chain). */
export function hullOf(boxes: readonly PlacedBox[]): Point[] {
  const corners = boxes
    .flatMap(({ x, y, width, height }) =>
      [-1, 1].flatMap((h) => [-1, 1].map((v) => ({ x: x + (h * width) / 2, y: y + (v * height) / 2 }))),
    )
    .toSorted((a, b) => a.x - b.x || a.y - b.y);
  return [...half(corners), ...half(corners.toReversed())];
}
