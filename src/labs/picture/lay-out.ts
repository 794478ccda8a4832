/** Where everything of a picture is. It takes seconds of the processor: it runs in a thread of its own (`layout-worker.ts`). */
import ElkConstructor, { type ELK, type ElkNode } from 'elkjs/lib/elk.bundled.js';
import { nodeHeight } from './graph-of.ts';
import type { Box, Graph, Line, Placed, Point, Positions, Size } from './picture.ts';
import { placeTexts, sizeOf, type TextPlaces } from './place-texts.ts';

type PlacedBox = Point & Size;

interface Arranged {
  readonly boxes: readonly PlacedBox[];
  readonly paths: readonly (readonly Point[])[];
}

const margin = 24;
interface Manner {
  /** How much farther apart than usual things are put. */
  readonly stretch: number;
  readonly wraps: boolean;
}

/** Between lines that leave a box on the same side, so that there is room for what stands at them. */
const lineGap = 22;
/** With more lines than this on a side, a box grows no further: the texts go where the lines have spread. */
const roomyLines = 12;
const narrowGap = 7;
const longestChain = 3_600;
const hiddenLength = 14;
/** What a picture may have of width for its height, at least; and how much broader it is made for that, at most. */
const slimmest = 0.45;
const steepest = 3;
/** From so many boxes on, they stand closer. */
const manyBoxes = 60;
const parallelGap = 26;
const widestLayerGap = 340;
/** How much farther apart things are put while texts find no room. Each try costs as much as the first one. */
const stretches = [1, 1.35, 1.8] as const;
/** A try costs more than the gain from here on. */
const linesForOneTry = 60;

// The module is CommonJS, and its class stands in `default` where a bundler or Node wraps it.
const Elk = ElkConstructor as unknown as { new (): ELK; default?: new () => ELK };
const elk = new (Elk.default ?? Elk)();

function layerGap(lines: readonly Line[]): number {
  const widths = lines.map(({ fromText, toText }) =>
    [fromText, toText].reduce((sum, text) => sum + (text === undefined ? 0 : sizeOf(text).width + 14), 0),
  );
  return Math.min(widestLayerGap, Math.max(70, ...widths));
}

/**
 * A high picture of few columns, drawn broader: in the fans between them, lines would be steep and texts hard to read. A box
 * keeps its width, and its lines still end at it.
 */
function broadened({ boxes, paths }: Arranged, { lines, boxes: shapes }: Graph, size: Size): Arranged {
  const factor = Math.min(steepest, size.height / (slimmest * size.width));
  if (factor <= 1) return { boxes, paths };
  const middles = new Map(shapes.map(({ id }, index) => [id, boxes[index]?.x ?? 0]));
  /** An end moves with its box. */
  const moved = ({ x, y }: Point, box: string): Point => {
    return { x: x + (middles.get(box) ?? 0) * (factor - 1), y };
  };
  return {
    boxes: boxes.map((box) => ({ ...box, x: box.x * factor })),
    paths: paths.map((points, index) =>
      points.map((point, nth) => {
        if (nth === 0) return moved(point, lines[index]?.from ?? '');
        if (nth === points.length - 1) return moved(point, lines[index]?.to ?? '');
        return { x: point.x * factor, y: point.y };
      }),
    ),
  };
}

/** Which box stands on the left. */
function isForward({ from, to }: Line, boxes: ReadonlyMap<string, Box>, seen: Set<string>): boolean {
  const [left, right] = [boxes.get(from)?.rank, boxes.get(to)?.rank];
  if (left !== undefined && right !== undefined && left !== right) return left > right;
  // Nothing says what is above what: the first node of a network on its left, the others on its right.
  const isFirst = !seen.has(to);
  seen.add(to);
  return isFirst || !to.startsWith('l:');
}

/** How high a box has to be for the lines on its fuller side. That of a network stays as it is: nothing stands at its ends. */
function heightFor({ id, height }: Box, lines: number): number {
  if (id.startsWith('l:')) return height;
  const gap = Math.max(narrowGap, Math.min(lineGap, (roomyLines * lineGap) / lines));
  return Math.max(height, lines * gap);
}

function elkGraph({ boxes, lines }: Graph, { stretch, wraps }: Manner): ElkNode {
  const byId = new Map(boxes.map((box) => [box.id, box]));
  // Each line ends at a port of its own: outgoing ones on the right, incoming ones on the left.
  const ports = new Map(boxes.map(({ id }) => [id, { out: [] as string[], into: [] as string[] }]));
  const seen = new Set<string>();
  const edges = lines.map((line, index) => {
    const ends = [line.from, line.to];
    const [source = '', target = ''] = isForward(line, byId, seen) ? ends : ends.toReversed();
    const [out, into] = [`${source}#${index}o`, `${target}#${index}i`];
    ports.get(source)?.out.push(out);
    ports.get(target)?.into.push(into);
    return { id: String(index), sources: [out], targets: [into] };
  });
  const children = boxes.map((box) => {
    const { out = [], into = [] } = ports.get(box.id) ?? {};
    return {
      id: box.id,
      width: box.width,
      height: heightFor(box, Math.max(out.length, into.length)),
      ports: [...into, ...out].map((port) => ({ id: port, width: 0, height: 0 })),
      layoutOptions: { 'elk.portAlignment.default': 'DISTRIBUTED' },
    };
  });
  const options = elkOptions(layerGap(lines) * stretch, boxes.length > manyBoxes ? 0.45 : stretch);
  if (wraps) options['elk.layered.wrapping.strategy'] = 'MULTI_EDGE';
  return { id: 'root', layoutOptions: options, children, edges };
}

function elkOptions(gap: number, stretch: number): Record<string, string> {
  return {
    'elk.algorithm': 'layered',
    'elk.direction': 'RIGHT',
    'elk.edgeRouting': 'POLYLINE',
    // The same picture each time.
    'elk.randomSeed': '1',
    'elk.aspectRatio': '1.6',
    'elk.spacing.nodeNode': String(30 * stretch),
    'elk.spacing.edgeNode': String(26 * stretch),
    'elk.spacing.edgeEdge': String(lineGap * stretch),
    'elk.spacing.componentComponent': '48',
    'elk.layered.spacing.nodeNodeBetweenLayers': String(gap),
    'elk.layered.spacing.edgeNodeBetweenLayers': '16',
    'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
    'elk.layered.nodePlacement.strategy': 'BRANDES_KOEPF',
    'elk.layered.nodePlacement.bk.fixedAlignment': 'BALANCED',
  };
}

async function runElk(graph: Graph, manner: Manner): Promise<Arranged & { readonly size: Size }> {
  const { children = [], edges = [], width = 0, height = 0 } = await elk.layout(elkGraph(graph, manner));
  const boxes = children.map(({ x = 0, y = 0, width: w = 0, height: h = 0 }) => {
    return { x: x + w / 2, y: y + h / 2, width: w, height: h };
  });
  const paths = edges.map(({ sections, sources }, index) => {
    const points = (sections ?? []).flatMap(({ startPoint, bendPoints = [], endPoint }) => [
      startPoint,
      ...bendPoints,
      endPoint,
    ]);
    const line = graph.lines[index];
    return line !== undefined && sources[0]?.startsWith(`${line.from}#`) ? points : points.toReversed();
  });
  return { boxes, paths, size: { width, height } };
}

/** A long chain goes on below itself, where it would be a picture that nobody can look at. */
async function arrangeByElk(graph: Graph, stretch: number): Promise<Arranged> {
  const straight = await runElk(graph, { stretch, wraps: false });
  const { width, height } = straight.size;
  const isChain = width > longestChain && width > 5 * height;
  return isChain ? runElk(graph, { stretch, wraps: true }) : broadened(straight, graph, straight.size);
}

/** Where a line from the middle of a box to `target` leaves it. */
function borderPoint({ x, y, width, height }: PlacedBox, target: Point): Point {
  const [dx, dy] = [target.x - x, target.y - y];
  const part = Math.min(width / 2 / Math.abs(dx || 1e-9), height / 2 / Math.abs(dy || 1e-9), 1);
  return { x: x + dx * part, y: y + dy * part };
}

/** Straight lines, beside each other where several join the same boxes. */
function straightPaths(lines: readonly Line[], boxOf: (id: string) => PlacedBox): Point[][] {
  const pairOf = ({ from, to }: Line): string => [from, to].toSorted().join('\n');
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(pairOf(line), (counts.get(pairOf(line)) ?? 0) + 1);
  const used = new Map<string, number>();
  return lines.map((line) => {
    const [a, b] = [boxOf(line.from), boxOf(line.to)];
    const nth = used.get(pairOf(line)) ?? 0;
    used.set(pairOf(line), nth + 1);
    const shift = (nth - ((counts.get(pairOf(line)) ?? 1) - 1) / 2) * parallelGap;
    const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
    // The same side for both directions.
    const turn = line.from < line.to ? 1 : -1;
    const [ox, oy] = [((-(b.y - a.y) * shift) / length) * turn, (((b.x - a.x) * shift) / length) * turn];
    const [start, end] = [borderPoint(a, b), borderPoint(b, a)];
    return [
      { x: start.x + ox, y: start.y + oy },
      { x: end.x + ox, y: end.y + oy },
    ];
  });
}

/** What somebody dragged goes where it was put, and its lines become straight. */
function withPositions({ boxes, lines }: Graph, arranged: Arranged, given: Positions): Arranged {
  const placed = boxes.map((box, index) => {
    const there = given[box.id];
    const size = arranged.boxes[index] ?? { x: 0, y: 0, ...box };
    return there === undefined
      ? size
      : { ...there, width: size.width, height: Math.min(size.height, nodeHeight) };
  });
  const byId = new Map(boxes.map(({ id }, index) => [id, placed[index]]));
  const boxOf = (id: string): PlacedBox => byId.get(id) ?? { x: 0, y: 0, width: 0, height: 0 };
  const straight = straightPaths(lines, boxOf);
  const paths = lines.map((line, index) => {
    const isMoved = given[line.from] !== undefined || given[line.to] !== undefined;
    return (isMoved ? straight[index] : arranged.paths[index]) ?? [];
  });
  return { boxes: placed, paths };
}

function textsOf({ lines }: Graph, { boxes, paths }: Arranged): TextPlaces {
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

/** The picture with everything in it at positive coordinates. */
function framed({ boxes, paths }: Arranged, { texts }: TextPlaces): Placed {
  const inside = [
    ...boxes.flatMap(({ x, y, width, height }) => [
      { x: x - width / 2, y: y - height / 2 },
      { x: x + width / 2, y: y + height / 2 },
    ]),
    ...paths.flat(),
    ...texts.flat().flatMap((text) => {
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
    lines: paths.map((points, index) => ({
      points: points.map(move),
      texts: (texts[index] ?? []).map((text) => ({ ...text, at: move(text.at) })),
    })),
  };
}

function boundsOfFirst([first]: readonly Point[]) {
  return first && { left: first.x, top: first.y, right: first.x, bottom: first.y };
}

/** Lays a graph out; what is in `given` is where that says. */
export async function layOut(graph: Graph, given: Positions): Promise<Placed> {
  const isAllGiven = graph.boxes.every(({ id }) => given[id] !== undefined);
  const tries = isAllGiven || graph.lines.length > linesForOneTry ? stretches.slice(0, 1) : stretches;
  let best: { arranged: Arranged; texts: TextPlaces } | undefined;
  for (const stretch of tries) {
    const found = isAllGiven ? { boxes: [], paths: [] } : await arrangeByElk(graph, stretch);
    const arranged = withPositions(graph, found, given);
    const texts = textsOf(graph, arranged);
    if (best === undefined || texts.cramped < best.texts.cramped) best = { arranged, texts };
    if (texts.cramped === 0) break;
  }
  const { arranged, texts } = best ?? {
    arranged: { boxes: [], paths: [] },
    texts: { texts: [], cramped: 0 },
  };
  return framed({ ...arranged, paths: arranged.paths.map(extended) }, texts);
}
