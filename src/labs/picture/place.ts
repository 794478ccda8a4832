/** The places after the arrangement, with the boxes that users moved; the page uses this, too. */
import { cornersOf, crosses, type Turned } from './geometry.ts';
import { nodeHeight } from './graph-of.ts';
import type { Graph, Line, Placed, Point, Positions, Size } from './picture.ts';
import { placeTexts, sizeOf, type TextPlaces } from './place-texts.ts';

export type PlacedBox = Point & Size;

/** Boxes and paths stand in the order of the graph. */
export interface Arranged {
  readonly boxes: readonly PlacedBox[];
  readonly paths: readonly (readonly Point[])[];
}

/** Where everything is, in coordinates of those positions that were given. */
export type PlacedGraph = Omit<Placed, keyof Size>;

const margin = 24;
const hiddenLength = 14;
const parallelGap = 26;

/** Where a line from the middle of a box to `target` leaves it. */
function borderPoint({ x, y, width, height }: PlacedBox, target: Point): Point {
  const [dx, dy] = [target.x - x, target.y - y];
  const part = Math.min(width / 2 / Math.abs(dx || 1e-9), height / 2 / Math.abs(dy || 1e-9), 1);
  return { x: x + dx * part, y: y + dy * part };
}

/** How far each line is beside the straight one: several that join the same boxes are drawn beside each other. */
export function shiftsOf(lines: readonly Line[]): number[] {
  const pairOf = ({ from, to }: Line): string => [from, to].toSorted().join('\n');
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(pairOf(line), (counts.get(pairOf(line)) ?? 0) + 1);
  const used = new Map<string, number>();
  return lines.map((line) => {
    const nth = used.get(pairOf(line)) ?? 0;
    used.set(pairOf(line), nth + 1);
    // The same side for both directions.
    const turn = line.from < line.to ? 1 : -1;
    return (nth - ((counts.get(pairOf(line)) ?? 1) - 1) / 2) * parallelGap * turn;
  });
}

/** From border to border, `shift` beside the line that joins the middles. */
export function straightPath(a: PlacedBox, b: PlacedBox, shift: number): Point[] {
  const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
  const [ox, oy] = [(-(b.y - a.y) * shift) / length, ((b.x - a.x) * shift) / length];
  const [start, end] = [borderPoint(a, b), borderPoint(b, a)];
  return [
    { x: start.x + ox, y: start.y + oy },
    { x: end.x + ox, y: end.y + oy },
  ];
}

/** Between a line and a box that it passes. */
const clearance = 8;
/** The length of the longest way past a box, as a multiple of the straight one. */
const longestWay = 2;
/** With more boxes in the way, the way past one of them seldom passes the others, and looking for it takes long. */
const mostInTheWay = 3;

/** The box with so much room around it. */
function roomAround({ x, y, width, height }: PlacedBox, room: number): Turned {
  return { x, y, width: width + 2 * room, height: height + 2 * room, angle: 0 };
}

const lengthOf = (points: readonly Point[]): number =>
  points.reduce((sum, { x, y }, index) => {
    const before = points[index - 1] ?? { x, y };
    return sum + Math.hypot(x - before.x, y - before.y);
  }, 0);

/** The ways past a box: around one of its corners, or along one of its sides. */
function waysPast(box: PlacedBox): Point[][] {
  const corners = cornersOf(roomAround(box, 2 * clearance));
  const sides = corners.map((corner, index) => [corner, corners.at(index - 1) ?? corner]);
  return [...corners.map((corner) => [corner]), ...sides, ...sides.map((side) => side.toReversed())];
}

/**
 * The straight path, or the shortest past one of the boxes in its way: a line behind a box reads as two links of this box.
 * Straight, too, if no such path passes all boxes without a long detour.
 */
export function clearPath(a: PlacedBox, b: PlacedBox, shift: number, boxes: readonly PlacedBox[]): Point[] {
  const rooms = boxes
    .filter((box) => !isSamePlace(box, a) && !isSamePlace(box, b))
    .map((box) => ({ box, room: roomAround(box, clearance) }));
  const isHit = (points: readonly Point[], room: Turned): boolean =>
    points.some((point, index) => index > 0 && crosses(points[index - 1] ?? point, point, room));
  const straight = straightPath(a, b, shift);
  const inTheWay = rooms.filter(({ room }) => isHit(straight, room));
  if (inTheWay.length > mostInTheWay) return straight;
  const paths = inTheWay
    .flatMap(({ box }) => waysPast(box))
    .map((way) => [borderPoint(a, way[0] ?? b), ...way, borderPoint(b, way.at(-1) ?? a)])
    .filter((points) => lengthOf(points) <= longestWay * lengthOf(straight))
    .toSorted((one, other) => lengthOf(one) - lengthOf(other));
  return paths.find((points) => !rooms.some(({ room }) => isHit(points, room))) ?? straight;
}

/** Whether they are the same place: users and files give whole pixels. */
export const isSamePlace = (a: Point, b: Point): boolean =>
  Math.abs(a.x - b.x) < 1 && Math.abs(a.y - b.y) < 1;

/** Moves the boxes that users placed, and makes their lines as straight as the other boxes allow. */
export function withPositions({ boxes, lines }: Graph, arranged: Arranged, given: Positions): Arranged {
  const moved = new Set<string>();
  const placed = boxes.map((box, index) => {
    const there = given[box.id];
    const size = arranged.boxes[index] ?? { x: 0, y: 0, ...box };
    if (there === undefined || isSamePlace(size, there)) return size;
    moved.add(box.id);
    return { ...there, width: size.width, height: Math.min(size.height, nodeHeight) };
  });
  const byId = new Map(boxes.map(({ id }, index) => [id, placed[index]]));
  const boxOf = (id: string): PlacedBox => byId.get(id) ?? { x: 0, y: 0, width: 0, height: 0 };
  const shifts = shiftsOf(lines);
  const paths = lines.map((line, index) => {
    if (!moved.has(line.from) && !moved.has(line.to)) return arranged.paths[index] ?? [];
    return clearPath(boxOf(line.from), boxOf(line.to), shifts[index] ?? 0, placed);
  });
  return { boxes: placed, paths };
}

export function placedTexts({ lines }: Graph, { boxes, paths }: Arranged): TextPlaces {
  const worded = lines.map(({ fromText, toText }, index) => {
    return { points: paths[index] ?? [], fromText, toText };
  });
  return placeTexts(
    boxes.map((box) => ({ ...box, angle: 0 })),
    worded,
  );
}

/** Goes on a little beyond its ends, under the boxes: where the corners of a box are round, it would end before it. */
function extended(points: readonly Point[]): Point[] {
  const [first, second] = points;
  const [last, beforeLast] = [points.at(-1), points.at(-2)];
  if (!first || !second || !last || !beforeLast) return [...points];
  return [beyond(second, first), ...points.slice(1, -1), beyond(beforeLast, last)];
}

function beyond(from: Point, to: Point): Point {
  const part = hiddenLength / (Math.hypot(to.x - from.x, to.y - from.y) || 1);
  return { x: to.x + (to.x - from.x) * part, y: to.y + (to.y - from.y) * part };
}

/** The picture of a graph that ELK has arranged; what is in `given` is where that says. */
export function place(graph: Graph, arranged: Arranged, given: Positions): PlacedGraph {
  const moved = withPositions(graph, arranged, given);
  const { texts } = placedTexts(graph, moved);
  const lines = moved.paths.map((points, index) => ({ points: extended(points), texts: texts[index] ?? [] }));
  return { boxes: moved.boxes, lines };
}

/** The picture with everything in it at positive coordinates. */
export function framed({ boxes, lines }: PlacedGraph): Placed {
  const inside = [
    ...boxes.flatMap(({ x, y, width, height }) => [
      { x: x - width / 2, y: y - height / 2 },
      { x: x + width / 2, y: y + height / 2 },
    ]),
    ...lines.flatMap(({ points }) => points),
    ...lines
      .flatMap(({ texts }) => texts)
      .flatMap((text) => {
        const reach = sizeOf(text).width / 2;
        const { x, y } = text.at;
        return [
          { x: x - reach, y: y - reach },
          { x: x + reach, y: y + reach },
        ];
      }),
  ];
  const bounds = inside.reduce(
    (so, { x, y }) => ({
      left: Math.min(so.left, x),
      top: Math.min(so.top, y),
      right: Math.max(so.right, x),
      bottom: Math.max(so.bottom, y),
    }),
    { left: 0, top: 0, right: 0, bottom: 0, ...boundsOfFirst(inside) },
  );
  const move = ({ x, y }: Point): Point => ({ x: x - bounds.left + margin, y: y - bounds.top + margin });
  return {
    width: bounds.right - bounds.left + 2 * margin,
    height: bounds.bottom - bounds.top + 2 * margin,
    boxes: boxes.map((box) => ({ ...box, ...move(box) })),
    lines: lines.map(({ points, texts }) => ({
      points: points.map(move),
      texts: texts.map((text) => ({ ...text, at: move(text.at) })),
    })),
  };
}

function boundsOfFirst([first]: readonly Point[]) {
  return first && { left: first.x, top: first.y, right: first.x, bottom: first.y };
}
