import type { Point } from '../../../../../../src/labs/picture/picture.ts';

export type Item = Point & { readonly id: string };

const steps: Readonly<Record<string, Point>> = {
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
};

/** The direction of an arrow key; undefined for other keys. */
export const directionOf = (key: string): Point | undefined => steps[key];

/** An item this much farther in the direction is as near as one that is one pixel beside it. */
const costBeside = 2.5;

/** The nearest item in a direction; the first one of all if there is none to start from. */
export function nextItem(items: readonly Item[], from: string | undefined, to: Point): Item | undefined {
  const start = items.find(({ id }) => id === from);
  if (!start) return items[0];
  let best: { readonly item: Item; readonly cost: number } | undefined;
  for (const item of items) {
    const [dx, dy] = [item.x - start.x, item.y - start.y];
    const ahead = dx * to.x + dy * to.y;
    const beside = Math.abs(dx * to.y) + Math.abs(dy * to.x);
    if (item === start || ahead <= 0 || beside > 3 * ahead) continue;
    const cost = ahead + costBeside * beside;
    if (!best || cost < best.cost) best = { item, cost };
  }
  return best?.item;
}
