/** Marked lines in the address: `#L120`, `#L120-L140`, `?line=120`, and `#B4096` for a line whose number is unknown. */
import { useCallback, useEffect, useRef, useState } from 'react';
import type { LogReader } from './log-reader.ts';
import type { LogRow } from './log-rows.ts';
import { blockBytes } from './block-cache.ts';
import { afterLineEnds } from './line-index.ts';
import { messageOf } from '../../../parts/tell.ts';

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

/** Lines counted from 1, inclusive; or the offset of a line. */
type Mark = { readonly from: number; readonly to: number } | { readonly byte: number };

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

export interface Marks {
  readonly mark: (row: LogRow, isMore: boolean) => void;
  readonly isMarked: (row: LogRow, number: number | undefined) => boolean;
  readonly goToLine: (number: number) => void;
  /** The number of counted bytes while a line is searched; else undefined. */
  readonly countedBytes: number | undefined;
  readonly stopCounting: () => void;
  /** Counts all lines, so that each has its number. */
  readonly countAll: () => void;
  /** The error for a line that does not exist. */
  readonly complaint: string | undefined;
  readonly current: Mark | undefined;
}

const wished = (): Mark | undefined => parsedMark(location.hash, location.search);

export function useMarks(reader: LogReader): Marks {
  const [current, setCurrent] = useState(wished);
  const [countedBytes, setCounted] = useState<number>();
  const [complaint, setComplaint] = useState<string>();
  const counting = useRef<AbortController>(undefined);
  const stopCounting = useCallback(() => {
    counting.current?.abort();
    setCounted(undefined);
  }, []);

  const count = useCallback(
    async <T>(action: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> => {
      stopCounting();
      const mine = new AbortController();
      counting.current = mine;
      try {
        return await action(mine.signal);
      } catch (error) {
        if (!mine.signal.aborted) setComplaint(messageOf(error));
        return undefined;
      } finally {
        if (counting.current === mine) setCounted(undefined);
      }
    },
    [stopCounting],
  );

  const goTo = useCallback(
    async (mark: Mark) => {
      setComplaint(undefined);
      if ('byte' in mark) return reader.goTo(mark.byte);
      await count(async (signal) => {
        const offset = await findLine(reader, mark.from, { signal, told: setCounted });
        if (offset === undefined) setComplaint(`The log has no line ${mark.from}`);
        else reader.goTo(offset);
      });
    },
    [reader, count],
  );

  // Only once: a later jump must not return here.
  const [isReady, setReady] = useState(false);
  if (!isReady && !reader.isLoading) setReady(true);
  useEffect(() => {
    const look = (): void => {
      const mark = wished();
      setCurrent(mark);
      if (mark && isReady) void goTo(mark);
    };
    look();
    window.addEventListener('hashchange', look);
    return () => window.removeEventListener('hashchange', look);
  }, [goTo, isReady]);
  useEffect(() => stopCounting, [stopCounting]);

  const show = useCallback((mark: Mark) => {
    history.replaceState(history.state, '', `${location.pathname}${location.search}${markText(mark)}`);
    setCurrent(mark);
  }, []);

  const mark = useCallback(
    (row: LogRow, isMore: boolean) => {
      const number = reader.rows.numberOf(row);
      reader.setFollowing(false);
      if (number === undefined) return show({ byte: row.offset });
      const from = isMore && current && 'from' in current ? current.from : number;
      show({ from: Math.min(from, number), to: Math.max(from, number) });
    },
    [reader, current, show],
  );

  return {
    mark,
    current,
    countedBytes,
    stopCounting,
    complaint,
    isMarked: (row, number) => {
      if (!current) return false;
      if ('byte' in current) return row.offset === current.byte;
      return number !== undefined && number >= current.from && number <= current.to;
    },
    goToLine: (number) => {
      const next = { from: number, to: number };
      show(next);
      void goTo(next);
    },
    countAll: () => void count(async (signal) => countLines(reader, Infinity, { signal, told: setCounted })),
  };
}
