/** Free names and places for copies of nodes. */
import type { Point } from '../../../../../../src/labs/picture/picture.ts';
import type { PlacedBox } from '../../../../../../src/labs/picture/place.ts';
import { areApart } from '../../../parts/picture/kept-layout.ts';

/** The name after this one that is not taken: `r4` after `r3`, `core2` after `core`. */
function nextName(name: string, taken: ReadonlySet<string>): string {
  const [, stem = name, digits = ''] = /^(.*?)(\d*)$/.exec(name) ?? [];
  const first = digits === '' ? 2 : Number(digits) + 1;
  for (let number = first; ; number++) {
    const next = `${stem}${String(number).padStart(digits.length, '0')}`;
    if (!taken.has(next)) return next;
  }
}

/** The copies of these nodes, by the names of the nodes. */
export function copyNames(names: readonly string[], all: readonly string[]): ReadonlyMap<string, string> {
  const taken = new Set(all);
  return new Map(
    names.map((name) => {
      const copy = nextName(name, taken);
      taken.add(copy);
      return [name, copy] as const;
    }),
  );
}

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
