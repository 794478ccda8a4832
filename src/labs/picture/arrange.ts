/** How ELK arranges a graph: which columns, in which order, and how lines go around boxes. */
import type { ELK, ElkNode } from 'elkjs/lib/elk-api.js';
import type { Box, Graph, Line, Point, Size } from './picture.ts';
import { placedTexts, type Arranged } from './place.ts';
import { sizeOf } from './place-texts.ts';

interface Manner {
  /** How much farther apart than usual things are put. */
  readonly stretch: number;
  readonly wraps: boolean;
}

/** ELK itself, or a thread in which it is. */
export type Arranger = Pick<ELK, 'layout'>;

/** Between lines that leave a box on the same side, so that there is room for what stands at them. */
const lineGap = 22;
/** With more lines than this on a side, a box grows no further: the texts go where the lines have spread. */
const roomyLines = 12;
const narrowGap = 7;
const longestChain = 3_600;
/** The least ratio of width to height of a picture, and the most that a picture is broadened to reach it. */
const slimmest = 0.45;
const steepest = 3;
/** From so many boxes on, they stand closer. */
const manyBoxes = 60;
const widestLayerGap = 340;
/** How much farther apart things are put while texts find no room. Each try costs as much as the first one. */
const stretches = [1, 1.35, 1.8] as const;
/** A try costs more than the gain from here on. */
const linesForOneTry = 60;

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

/** How high a box has to be for the lines on its fuller side. Boxes of networks keep their height: their line ends have no text. */
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

async function runElk(
  elk: Arranger,
  graph: Graph,
  manner: Manner,
): Promise<Arranged & { readonly size: Size }> {
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

/** Wraps a long chain into rows, because one row would be too wide to look at. */
async function arrangeByElk(elk: Arranger, graph: Graph, stretch: number): Promise<Arranged> {
  const straight = await runElk(elk, graph, { stretch, wraps: false });
  const { width, height } = straight.size;
  const isChain = width > longestChain && width > 5 * height;
  return isChain ? runElk(elk, graph, { stretch, wraps: true }) : broadened(straight, graph, straight.size);
}

/** Arranges the graph without given positions: of a few tries, the one with the most room for texts. */
export async function arrange(elk: Arranger, graph: Graph): Promise<Arranged> {
  const tries = graph.lines.length > linesForOneTry ? stretches.slice(0, 1) : stretches;
  let best: { readonly arranged: Arranged; readonly cramped: number } | undefined;
  for (const stretch of tries) {
    const arranged = await arrangeByElk(elk, graph, stretch);
    const { cramped } = placedTexts(graph, arranged);
    if (best === undefined || cramped < best.cramped) best = { arranged, cramped };
    if (cramped === 0) break;
  }
  return best?.arranged ?? { boxes: [], paths: [] };
}
