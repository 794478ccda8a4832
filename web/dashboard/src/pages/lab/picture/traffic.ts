/** The traffic of links as the picture shows it. */
import type { LabTraffic } from '../../../../../../src/client/api-types.ts';
import {
  isSameReading,
  rateOf,
  ratesBetween,
  type LinkRates,
  type Rate,
} from '../../../../../../src/client/link-rates.ts';
import type { PlacedText, Point } from '../../../../../../src/labs/picture/picture.ts';
import { uprightAngle } from '../../../../../../src/labs/picture/place-texts.ts';
import { sizeText } from '../../../parts/size-text.ts';

/** A longer time between two readings gives an average of the past, and no rate of now. */
const longestMs = 60_000;

/** The last reading, and the rates from the one before it to this one; undefined until there are two. */
export interface WatchedTraffic {
  readonly reading: LabTraffic;
  readonly rates: LinkRates | undefined;
}

export function withReading(before: WatchedTraffic | undefined, reading: LabTraffic): WatchedTraffic {
  // Another reading would bring no rates.
  if (reading.nodes.length === 0) return { reading, rates: new Map() };
  if (before && isSameReading(before.reading, reading)) return before;
  return { reading, rates: before && ratesBetween(before.reading, reading, longestMs) };
}

/** The traffic of a line: in words, and in the width of the line. */
export interface LineTraffic {
  readonly words: string;
  /** In pixels. */
  readonly width: number;
  /** Whether packets were lost since the reading before. */
  readonly isLossy: boolean;
}

/** Of a line in pixels. */
export const thinnest = 1.5;
const thickest = 8;
/** In bytes a second: less than the talk of idle nodes, and a gigabit in both directions. */
const [least, most] = [100, 250_000_000];

/** From the thinnest line to the thickest one, by the logarithm of the rate. */
export function widthOf(bytes: number): number {
  const part = Math.log(Math.max(bytes, least) / least) / Math.log(most / least);
  return thinnest + (thickest - thinnest) * Math.min(1, part);
}

export function lineTraffic({ bytes, lost }: Rate): LineTraffic {
  const words = [`${sizeText(bytes)}/s`, ...(lost > 0 ? [`${lost} lost`] : [])];
  return { words: words.join(', '), width: widthOf(bytes), isLossy: lost > 0 };
}

/** The number of links that have lost packets. */
export function lossyLinks(rates: LinkRates | undefined): number {
  return [...(rates?.values() ?? [])].filter((ends) => (rateOf(ends)?.lost ?? 0) > 0).length;
}

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
