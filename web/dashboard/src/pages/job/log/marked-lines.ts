/** Marked lines: their form in the address, and their place in a log that is not in memory. */
import { blockBytes } from './block-cache.ts';
import { afterLineEnds } from './line-index.ts';
import type { LogReader } from './log-reader.ts';

/** Lines counted from 1, inclusive; or the offset of a line. */
export type Mark = { readonly from: number; readonly to: number } | { readonly byte: number };

const whole = (digits: string): number => Number.parseInt(digits, 10);

/** The mark in the address; undefined for none. */
export function parsedMark(hash: string, search: string): Mark | undefined {
  const byte = /^#B(\d{1,15})$/.exec(hash)?.[1];
  if (byte !== undefined) return { byte: whole(byte) };
  const asked = new URLSearchParams(search).get('line') ?? '';
  const lines = /^#L(\d{1,12})(?:-L?(\d{1,12}))?$/.exec(hash) ?? /^(\d{1,12})(?:-(\d{1,12}))?$/.exec(asked);
  const [, first = '', last = first] = lines ?? [];
  if (first === '') return undefined;
  const [from, to] = [whole(first), whole(last)].toSorted((a, b) => a - b);
  return from === undefined || from === 0 ? undefined : { from, to: to ?? from };
}

/** The fragment of the address for a mark. */
export function markText(mark: Mark): string {
  if ('byte' in mark) return `#B${mark.byte}`;
  return mark.from === mark.to ? `#L${mark.from}` : `#L${mark.from}-L${mark.to}`;
}

interface Counting {
  readonly signal: AbortSignal;
  /** Reports the number of counted bytes. */
  readonly told: (bytes: number) => void;
}

/** The bytes per request. */
const stepBytes = 4 * blockBytes;

/** Counts the line ends of complete blocks until there are enough. */
export async function countLines(
  reader: LogReader,
  enough: number,
  { signal, told }: Counting,
): Promise<void> {
  const { index } = reader;
  while (index.lineEnds < enough && index.countedBytes + blockBytes <= reader.size) {
    const from = index.countedBytes;
    const to = Math.min(from + stepBytes, reader.size);
    index.add(from, await reader.insist(signal, async () => reader.read(from, to, signal)));
    told(index.countedBytes);
  }
  await reader.numberLines(signal);
}

/** The offset of the line with this number; undefined when there are fewer lines. */
export async function findLine(
  reader: LogReader,
  number: number,
  counting: Counting,
): Promise<number | undefined> {
  const { rows, index } = reader;
  const here = rows.indexOfNumber(number);
  if (here !== -1) return rows.rows[here]?.offset;
  await countLines(reader, number, counting);
  const { blockStart, lineEnds } = index.blockOfLine(number);
  // A line begins after the line end before it, which may be the last byte of the block.
  const end = Math.min(blockStart + blockBytes + 1, reader.size);
  const { signal } = counting;
  const bytes = await reader.insist(signal, async () => reader.read(blockStart, end, signal));
  const at = afterLineEnds(bytes, number - 1 - lineEnds);
  return at === undefined || blockStart + at >= reader.size ? undefined : blockStart + at;
}
