import { blockBytes, type ReadRange } from './block-cache.ts';
import { linesAround } from './line-index.ts';
import { LogRows, lineStart, type RowLimits } from './log-rows.ts';

interface Wanted {
  /** Of the log now, in bytes. */
  readonly size: number;
  readonly offset: number | 'end';
  readonly limits: RowLimits;
}

/** What is in memory at first: all of a log that fits, else the part around a byte, or before the end. */
export async function partAround(
  { size, offset, limits }: Wanted,
  read: (start: number, end: number) => ReturnType<ReadRange>,
): Promise<LogRows> {
  const end = offset === 'end' ? size : Math.min(offset, size);
  const isSmall = size <= limits.bytes;
  const start = isSmall ? 0 : Math.max(0, end - blockBytes);
  const all = await read(start, isSmall ? size : Math.min(size, end + blockBytes));
  const { from, to } = linesAround(all, end - start, limits.rows / 2);
  const { skipped, isRest } =
    start + from === 0 ? { skipped: 0, isRest: false } : lineStart(all.subarray(from, to));
  const rows = new LogRows(start + from + skipped, limits, isRest);
  rows.append(all.subarray(from + skipped, to));
  return rows;
}
