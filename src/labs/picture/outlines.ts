/** Shapes in the words of SVG. */
import type { Point, Size } from './picture.ts';

/** Tenths are finer than the eye sees, and make the file half as long. */
export function tenths(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** The corners of a box with cut ones. */
export function octagonPoints({ x, y, width, height }: Point & Size): string {
  const cut = 12;
  const [left, right] = [x - width / 2, x + width / 2];
  const [top, bottom] = [y - height / 2, y + height / 2];
  const corners = [
    [left + cut, top],
    [right - cut, top],
    [right, top + cut],
    [right, bottom - cut],
    [right - cut, bottom],
    [left + cut, bottom],
    [left, bottom - cut],
    [left, top + cut],
  ];
  return corners.map(([h = 0, v = 0]) => `${tenths(h)},${tenths(v)}`).join(' ');
}

/** A line whose corners are rounded, as far as there is room. */
export function pathOf(points: readonly Point[]): string {
  const near = (a: Point, b: Point): Point => {
    const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
    const part = Math.min(14, length / 2) / length;
    return { x: a.x + (b.x - a.x) * part, y: a.y + (b.y - a.y) * part };
  };
  const at = ({ x, y }: Point): string => `${tenths(x)} ${tenths(y)}`;
  return points
    .map((point, index) => {
      const [before, after] = [points[index - 1], points[index + 1]];
      if (before === undefined) return `M${at(point)}`;
      if (after === undefined) return `L${at(point)}`;
      return `L${at(near(point, before))}Q${at(point)} ${at(near(point, after))}`;
    })
    .join('');
}
