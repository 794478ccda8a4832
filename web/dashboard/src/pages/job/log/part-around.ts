import { blockBytes, type ReadRange } from './block-cache.ts';
import { linesAround } from './line-index.ts';
import { LogRows, lineStart, type RowLimits } from './log-rows.ts';

interface Wanted {
  /** The size of the log in bytes. */
  readonly size: number;
  readonly offset: number | 'end';
  readonly limits: RowLimits;
}

/** The first part in memory: a whole small log, else the part around a byte or before the end. */
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
