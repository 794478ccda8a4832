/** The traffic of links as the picture shows it. */
import type { LabTraffic } from '../../../../../../src/client/api-types.ts';
import {
  isSameReading,
  rateOf,
  ratesBetween,
  type LinkRates,
  type Rate,
} from '../../../../../../src/client/link-rates.ts';
import { thinnest, type LineTraffic } from '../../../parts/picture/flow-graph.ts';
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

/** In pixels. */
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
