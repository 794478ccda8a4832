import type { Point, Size } from './picture.ts';

/** A rectangle that may be turned: its middle, its size, and degrees clockwise. */
export interface Turned extends Point, Size {
  readonly angle: number;
}

/** The four corners, in order. */
export function cornersOf({ x, y, width, height, angle }: Turned): Point[] {
  const radians = (angle * Math.PI) / 180;
  const [cos, sin] = [Math.cos(radians), Math.sin(radians)];
  return [
    [-1, -1],
    [1, -1],
    [1, 1],
    [-1, 1],
  ].map(([h = 0, v = 0]) => {
    const [dx, dy] = [(h * width) / 2, (v * height) / 2];
    return { x: x + dx * cos - dy * sin, y: y + dx * sin + dy * cos };
  });
}

/** The least and the greatest of what `points` are along an axis. */
function extent(points: readonly Point[], axis: Point): readonly [number, number] {
  const along = points.map(({ x, y }) => x * axis.x + y * axis.y);
  return [Math.min(...along), Math.max(...along)];
}

/** Two convex shapes are apart when there is a side of one of them with the other one all behind it (separating axes). */
function areApart(a: readonly Point[], b: readonly Point[], angle: number): boolean {
  const radians = (angle * Math.PI) / 180;
  const [cos, sin] = [Math.cos(radians), Math.sin(radians)];
  return [
    { x: cos, y: sin },
    { x: -sin, y: cos },
  ].some((axis) => {
    const [aMin, aMax] = extent(a, axis);
    const [bMin, bMax] = extent(b, axis);
    return aMax <= bMin || bMax <= aMin;
  });
}

/** Whether they have a point in common. */
export function overlap(a: Turned, b: Turned): boolean {
  const reach = (Math.hypot(a.width, a.height) + Math.hypot(b.width, b.height)) / 2;
  if (Math.abs(a.x - b.x) > reach || Math.abs(a.y - b.y) > reach) return false;
  const [ofA, ofB] = [cornersOf(a), cornersOf(b)];
  return !areApart(ofA, ofB, a.angle) && !areApart(ofA, ofB, b.angle);
}

/** Whether the line from `p` to `q` goes through the rectangle (Liang and Barsky). Asked a million times for a large picture. */
export function crosses(p: Point, q: Point, { x, y, width, height, angle }: Turned): boolean {
  const radians = (-angle * Math.PI) / 180;
  const [cos, sin] = [Math.cos(radians), Math.sin(radians)];
  // As seen from the rectangle: its middle at the origin, its sides along the axes.
  const [px, py] = [(p.x - x) * cos - (p.y - y) * sin, (p.x - x) * sin + (p.y - y) * cos];
  const [dx, dy] = [(q.x - p.x) * cos - (q.y - p.y) * sin, (q.x - p.x) * sin + (q.y - p.y) * cos];
  const [fromX, toX] = partWithin(px, dx, width / 2);
  const [fromY, toY] = partWithin(py, dy, height / 2);
  return Math.max(fromX, fromY, 0) < Math.min(toX, toY, 1);
}

/** From where to where, in parts of its length, a line that begins at `start` is between -`half` and `half` along an axis. */
function partWithin(start: number, length: number, half: number): readonly [number, number] {
  if (Math.abs(length) < 1e-9) return Math.abs(start) < half ? [-Infinity, Infinity] : [1, 0];
  const [a, b] = [(-half - start) / length, (half - start) / length];
  return a < b ? [a, b] : [b, a];
}
