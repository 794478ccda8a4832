import type { Point } from '../../../../../../src/labs/picture/picture.ts';
import type { PlacedBox } from '../../../../../../src/labs/picture/place.ts';
import { areApart } from '../../../parts/picture/kept-layout.ts';

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
