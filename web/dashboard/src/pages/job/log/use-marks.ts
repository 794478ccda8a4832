/** Marked lines in the address: `#L120`, `#L120-L140`, `?line=120`, and `#B4096` for a line whose number is unknown. */
import { useCallback, useEffect, useRef, useState } from 'react';
import type { LogReader } from './log-reader.ts';
import type { LogRow } from './log-rows.ts';
import { countLines, findLine, markText, parsedMark, type Mark } from './marked-lines.ts';
import { messageOf } from '../../../parts/tell.ts';

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
