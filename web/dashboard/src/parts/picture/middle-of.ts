import type { PlacedText, Point } from '../../../../../src/labs/picture/picture.ts';
import { uprightAngle } from '../../../../../src/labs/picture/place-texts.ts';

/** The middle of a line, and the angle of the text there, as in `PlacedText`. */
export function middleOf(points: readonly Point[]): Pick<PlacedText, 'at' | 'angle'> {
  const pieces = points.slice(1).map((q, index) => {
    const p = points[index] ?? q;
    return { p, q, length: Math.hypot(q.x - p.x, q.y - p.y) };
  });
  let rest = pieces.reduce((sum, { length }) => sum + length, 0) / 2;
  for (const { p, q, length } of pieces) {
    if (rest <= length && length > 0) {
      const part = rest / length;
      return {
        at: { x: p.x + part * (q.x - p.x), y: p.y + part * (q.y - p.y) },
        angle: uprightAngle(p, q),
      };
    }
    rest -= length;
  }
  return { at: points[0] ?? { x: 0, y: 0 }, angle: 0 };
}
