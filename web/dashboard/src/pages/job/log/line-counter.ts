/** Finds lines by their numbers in a log that is not in memory: lines are counted from the beginning, once. */
import { blockBytes } from './block-cache.ts';
import { afterLineEnds } from './line-index.ts';
import type { LogReader } from './log-reader.ts';

interface Counting {
  readonly signal: AbortSignal;
  /** Up to where was counted, in bytes. */
  readonly told: (bytes: number) => void;
}

/** So much is read at once. */
const stepBytes = 4 * blockBytes;

/** Counts the line ends of whole blocks, until there are so many. */
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

/** Where the line with this number begins; undefined when there are fewer lines. */
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
  // A line begins in the block after the line end before it.
  const end = Math.min(blockStart + blockBytes + 1, reader.size);
  const { signal } = counting;
  const bytes = await reader.insist(signal, async () => reader.read(blockStart, end, signal));
  const at = afterLineEnds(bytes, number - 1 - lineEnds);
  return at === undefined || blockStart + at >= reader.size ? undefined : blockStart + at;
}
