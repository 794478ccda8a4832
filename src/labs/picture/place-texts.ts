/** Finds places for what stands at the ends of lines: on its line, near its end, over no other text and no box. */
import { crosses, overlap, type Turned } from './geometry.ts';
import type { EndText, PlacedText, Point } from './picture.ts';
import { labelLineHeight, labelWidth } from './text-size.ts';

/** A line with its texts, each beginning at the end that it belongs to. */
export interface Worded {
  readonly points: readonly Point[];
  readonly fromText: EndText | undefined;
  readonly toText: EndText | undefined;
}

interface Candidate {
  readonly area: Turned;
  /** How far along the line. */
  readonly distance: number;
}

const gap = 6;
/** Between the ends of two texts: with less, they read as one. */
const spacing = 12;
const step = 12;
/** Beyond this part of its line, a text would seem to belong to the other end. */
const farthest = 0.6;
/** A line that goes through a text does more harm than a text that stands this much farther from its end. */
const costOfCrossing = 60;

export function sizeOf({ above, below }: EndText): { width: number; height: number } {
  const width = Math.max(...[above, ...below].map(labelWidth));
  // The line is in the middle: the side with more text says how much room there is on both.
  return { width, height: 2 * Math.max(1, below.length) * labelLineHeight + 2 };
}

/** Along the line from `p` to `q`: see `PlacedText`. */
export function uprightAngle(p: Point, q: Point): number {
  const angle = (Math.atan2(q.y - p.y, q.x - p.x) * 180) / Math.PI;
  if (angle > 90) return angle - 180;
  return angle <= -90 ? angle + 180 : angle;
}

/** Where the text may stand, from its end of the line on. */
function* candidates(points: readonly Point[], text: EndText): Generator<Candidate> {
  const { width, height } = sizeOf(text);
  const lengths = points.slice(1).map((q, index) => {
    const p = points[index] ?? q;
    return Math.hypot(q.x - p.x, q.y - p.y);
  });
  const total = lengths.reduce((sum, length) => sum + length, 0);
  let before = 0;
  for (const [index, length] of lengths.entries()) {
    const [p, q] = [points[index], points[index + 1]];
    if (p === undefined || q === undefined) return;
    for (let along = gap + width / 2; along <= length - gap - width / 2; along += step) {
      const distance = before + along;
      if (distance > farthest * total) return;
      const part = along / length;
      const at = { x: p.x + part * (q.x - p.x), y: p.y + part * (q.y - p.y) };
      yield { area: { ...at, width, height, angle: uprightAngle(p, q) }, distance };
    }
    before += length;
  }
}

/** Finds things near a place with a grid, because each of a thousand texts has a dozen candidate places. */
class Neighbourhood<T> {
  readonly #cells = new Map<number, T[]>();

  add(item: T, area: Turned): void {
    for (const key of cellsOf(area)) {
      const cell = this.#cells.get(key);
      if (cell === undefined) this.#cells.set(key, [item]);
      else cell.push(item);
    }
  }

  near(area: Turned): ReadonlySet<T> {
    const found = new Set<T>();
    for (const key of cellsOf(area)) for (const item of this.#cells.get(key) ?? []) found.add(item);
    return found;
  }
}

function cellsOf({ x, y, width, height }: Turned): number[] {
  const cell = 120;
  const reach = Math.hypot(width, height) / 2;
  const keys: number[] = [];
  for (let column = Math.floor((x - reach) / cell); column <= (x + reach) / cell; column += 1)
    for (let row = Math.floor((y - reach) / cell); row <= (y + reach) / cell; row += 1)
      // No picture has a million cells in a row.
      keys.push(column * 1_000_000 + row);
  return keys;
}

interface Segment {
  readonly line: number;
  readonly p: Point;
  readonly q: Point;
}

/** The segments of lines, in pieces: a long one has few neighbours along most of it. */
function segmentsOf(lines: readonly Worded[]): Neighbourhood<Segment> {
  const all = new Neighbourhood<Segment>();
  for (const [line, { points }] of lines.entries())
    for (const [index, q] of points.entries()) {
      const p = points[index - 1];
      if (p === undefined) continue;
      const segment = { line, p, q };
      const pieces = Math.max(1, Math.ceil(Math.hypot(q.x - p.x, q.y - p.y) / 100));
      for (let piece = 0; piece <= pieces; piece += 1) {
        const part = piece / pieces;
        const at = { x: p.x + part * (q.x - p.x), y: p.y + part * (q.y - p.y) };
        all.add(segment, { ...at, width: 100, height: 0, angle: 0 });
      }
    }
  return all;
}

class TextPlacer {
  readonly #taken = new Neighbourhood<Turned>();
  readonly #segments: Neighbourhood<Segment>;

  constructor(boxes: readonly Turned[], lines: readonly Worded[]) {
    for (const box of boxes) this.#taken.add(box, box);
    this.#segments = segmentsOf(lines);
  }

  /** The best place for a text of a line; undefined when there is none. `points` begin at the end of the text. */
  place(line: number, points: readonly Point[], text: EndText): PlacedText | undefined {
    let best: { readonly area: Turned; readonly cost: number } | undefined;
    for (const { area, distance } of candidates(points, text)) {
      if (best !== undefined && distance >= best.cost) break;
      if (this.#isTaken(area)) continue;
      const crossing = new Set<number>();
      for (const other of this.#segments.near(area))
        if (other.line !== line && crosses(other.p, other.q, area)) crossing.add(other.line);
      const cost = distance + costOfCrossing * crossing.size;
      if (best === undefined || cost < best.cost) best = { area, cost };
    }
    if (best === undefined) return undefined;
    const withSpace = { ...best.area, width: best.area.width + 2 * spacing };
    this.#taken.add(withSpace, withSpace);
    return { ...text, at: { x: best.area.x, y: best.area.y }, angle: best.area.angle };
  }

  #isTaken(area: Turned): boolean {
    for (const other of this.#taken.near(area)) if (overlap(area, other)) return true;
    return false;
  }
}

/** The part of a text that fits. */
function shortened({ above }: EndText): EndText {
  return { above, below: [] };
}

export interface TextPlaces {
  /** By line. */
  readonly texts: readonly (readonly PlacedText[])[];
  /** How many had to be shortened or left out. */
  readonly cramped: number;
}

export function placeTexts(boxes: readonly Turned[], lines: readonly Worded[]): TextPlaces {
  const placer = new TextPlacer(boxes, lines);
  let cramped = 0;
  const texts = lines.map(({ points, fromText, toText }, line) => {
    const ends = [
      { text: fromText, path: points },
      { text: toText, path: points.toReversed() },
    ];
    return ends.flatMap(({ text, path }) => {
      if (text === undefined) return [];
      const whole = placer.place(line, path, text);
      if (whole === undefined) cramped += 1;
      return whole ?? placer.place(line, path, shortened(text)) ?? [];
    });
  });
  return { texts, cramped };
}
