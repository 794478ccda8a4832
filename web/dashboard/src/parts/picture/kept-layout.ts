/** The layout of a drawing while it is edited: boxes stay where they are, and new ones get a free place. */
import type { Box, Graph, Line, Point, Positions } from '../../../../../src/labs/picture/picture.ts';
import {
  clearPath,
  isSamePlace,
  shiftsOf,
  withPositions,
  type Arranged,
  type PlacedBox,
} from '../../../../../src/labs/picture/place.ts';

/** A layout with the boxes of earlier ones: a removed box comes back where it was. */
export interface KeptLayout {
  readonly graph: Graph;
  readonly arranged: Arranged;
  readonly boxes: ReadonlyMap<string, PlacedBox>;
}

export const noLayout: KeptLayout = {
  graph: { boxes: [], lines: [] },
  arranged: { boxes: [], paths: [] },
  boxes: new Map(),
};

/** Between boxes. */
const gap = 48;
/** Between the rings on which a free place is searched. Boxes are wider than high. */
const [ringX, ringY] = [80, 52];
const ringsMax = 60;

/** Whether there is room between two boxes. */
export const areApart = (a: PlacedBox, b: PlacedBox, room = gap): boolean =>
  Math.abs(a.x - b.x) >= (a.width + b.width) / 2 + room ||
  Math.abs(a.y - b.y) >= (a.height + b.height) / 2 + room;

/** The place for a box of this size that is nearest to `wanted`, and on none of the others. */
export function freePlace(
  size: Pick<PlacedBox, 'width' | 'height'>,
  wanted: Point,
  others: readonly PlacedBox[],
  room = gap,
): Point {
  for (let nth = 0; nth < ringsMax; nth++) {
    const places = Math.max(1, nth * 6);
    for (let index = 0; index < places; index++) {
      const angle = (2 * Math.PI * index) / places;
      const x = Math.round(wanted.x + nth * ringX * Math.cos(angle));
      const y = Math.round(wanted.y + nth * ringY * Math.sin(angle));
      if (others.every((other) => areApart({ ...size, x, y }, other, room))) return { x, y };
    }
  }
  return wanted;
}

/** The middle of the boxes that it has lines to; below all boxes if it has none. */
function wantedPlace({ id }: Box, lines: readonly Line[], placed: ReadonlyMap<string, PlacedBox>): Point {
  const near = lines.flatMap(({ from, to }) => {
    const other = from === id ? placed.get(to) : to === id ? placed.get(from) : undefined;
    return other ?? [];
  });
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  if (near.length > 0) return { x: mean(near.map(({ x }) => x)), y: mean(near.map(({ y }) => y)) };
  const all = [...placed.values()];
  if (all.length === 0) return { x: 0, y: 0 };
  return { x: mean(all.map(({ x }) => x)), y: Math.max(...all.map(({ y }) => y)) + 2 * ringY };
}

/**
 * The boxes with a new name, and their old ones: one stands at the place of the other in the file. A network has the name of its
 * nodes, and gets another one with each of them.
 */
function renamed(before: Graph, now: Graph): ReadonlyMap<string, string> {
  const ids = ({ boxes }: Graph, kind: string): string[] =>
    boxes.flatMap(({ id }) => (id.startsWith(kind) ? [id] : []));
  return new Map(
    ['n:', 'l:'].flatMap((kind) => {
      const [old, present] = [ids(before, kind), ids(now, kind)];
      if (old.length !== present.length) return [];
      const [known, still] = [new Set(old), new Set(present)];
      return present.flatMap((id, index) => {
        const former = old[index] ?? id;
        return known.has(id) || still.has(former) ? [] : [[id, former] as const];
      });
    }),
  );
}

/** A key for each line: its ends, and its place among the lines between them. */
function lineKeys(lines: readonly Line[], nameOf: (id: string) => string): string[] {
  const shifts = shiftsOf(lines);
  return lines.map(({ from, to }, index) => `${nameOf(from)}\n${nameOf(to)}\n${shifts[index] ?? 0}`);
}

/** The boxes that have a place already, from `given` or from an earlier layout. */
function knownBoxes(
  before: KeptLayout,
  { boxes }: Graph,
  given: Positions,
  names: ReadonlyMap<string, string>,
) {
  return new Map(
    boxes.flatMap(({ id, width, height }) => {
      const kept = before.boxes.get(names.get(id) ?? id);
      const at = given[id] ?? kept;
      if (!at) return [];
      // A box with many lines is higher, until it is moved.
      const isKept = kept !== undefined && isSamePlace(kept, at);
      return [[id, { x: at.x, y: at.y, width, height: isKept ? kept.height : height }] as const];
    }),
  );
}

/** The layout of `graph` after `before`; undefined if no box has a place, because all of them need an arrangement. */
export function layoutAfter(before: KeptLayout, graph: Graph, given: Positions): KeptLayout | undefined {
  const names = renamed(before.graph, graph);
  const known = knownBoxes(before, graph, given, names);
  if (known.size === 0 && graph.boxes.length > 0) return undefined;
  for (const box of graph.boxes) {
    if (known.has(box.id)) continue;
    const at = freePlace(box, wantedPlace(box, graph.lines, known), [...known.values()]);
    known.set(box.id, { ...at, width: box.width, height: box.height });
  }
  const nowhere = { x: 0, y: 0, width: 0, height: 0 };
  const boxOf = (id: string): PlacedBox => known.get(id) ?? nowhere;
  const formerKeys = lineKeys(before.graph.lines, (id) => id);
  const former = new Map(formerKeys.map((key, index) => [key, before.arranged.paths[index]]));
  const isSame = (id: string): boolean =>
    isSamePlace(before.boxes.get(names.get(id) ?? id) ?? nowhere, boxOf(id));
  const shifts = shiftsOf(graph.lines);
  const keys = lineKeys(graph.lines, (id) => names.get(id) ?? id);
  const placed = graph.boxes.map(({ id }) => boxOf(id));
  const paths = graph.lines.map(({ from, to }, index) => {
    const path = isSame(from) && isSame(to) ? former.get(keys[index] ?? '') : undefined;
    return path ?? clearPath(boxOf(from), boxOf(to), shifts[index] ?? 0, placed);
  });
  const arranged = { boxes: placed, paths };
  return { graph, arranged, boxes: new Map([...before.boxes, ...known]) };
}

/** The layout of a whole arrangement, with the boxes that users placed. */
export function keptFrom(graph: Graph, arranged: Arranged, given: Positions): KeptLayout {
  const { boxes, paths } = withPositions(graph, arranged, given);
  const byId = new Map(
    graph.boxes.flatMap(({ id }, index) => {
      const box = boxes[index];
      return box ? [[id, box] as const] : [];
    }),
  );
  return { graph, arranged: { boxes, paths }, boxes: byId };
}
