/** The visible rows, and the scroll position while rows are added and removed. */
import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { useCallback, useLayoutEffect, useMemo, useRef, type RefObject } from 'react';
import { groupEnd, seenRows } from './groups.ts';
import type { Goal, LogReader } from './log-reader.ts';
import type { LogRow } from './log-rows.ts';

const rowPx = 20;
/** Closer to the edge of the memory than this, more is loaded. */
const nearPx = 1500;

interface Given {
  readonly reader: LogReader;
  readonly version: number;
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly folded: ReadonlySet<number>;
  readonly onUnfold: (headings: readonly number[]) => void;
  readonly isWrapped: boolean;
}

interface Anchor {
  readonly offset: number;
  readonly delta: number;
}

export interface ShownRows {
  readonly virtualizer: Virtualizer<HTMLDivElement, Element>;
  /** The index among all rows in memory of the row at a visible position. */
  readonly indexAt: (place: number) => number;
  readonly onScroll: () => void;
  /** The byte of the log at the top of the view. */
  readonly topOffset: () => number;
}

/** The folded headings that hide the row at `index`. */
function hiding(rows: readonly LogRow[], index: number, folded: ReadonlySet<number>): number[] {
  const found: number[] = [];
  for (let at = 0; at < index; at += 1) {
    const row = rows[at];
    if (row && folded.has(row.offset) && groupEnd(rows, at) > index) found.push(row.offset);
  }
  return found;
}

/** The position of a row among the visible rows; for a folded row, the position of its heading. */
function placeOf(seen: readonly number[] | undefined, index: number): number {
  if (!seen) return index;
  let [low, high] = [0, seen.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((seen[middle] ?? 0) <= index) low = middle;
    else high = middle - 1;
  }
  return low;
}

function isAtBottom({ scrollHeight, scrollTop, clientHeight }: HTMLDivElement): boolean {
  return scrollHeight - scrollTop - clientHeight < rowPx;
}

export function useShownRows({ reader, version, scroller, folded, onUnfold, isWrapped }: Given): ShownRows {
  const { rows } = reader;
  const list = rows.rows;
  const seen = useMemo(
    () => seenRows(list, folded),
    // Rows are added to one and the same list: the version tells of them.
    // oxlint-disable-next-line react/exhaustive-deps
    [list, folded, version],
  );
  const anchor = useRef<Anchor>(undefined);
  const done = useRef<Goal>(undefined);
  const lastTop = useRef(0);
  const indexAt = useCallback((place: number) => seen?.[place] ?? place, [seen]);
  const virtualizer = useVirtualizer<HTMLDivElement, Element>({
    count: seen?.length ?? list.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    overscan: 12,
    getItemKey: (place) => list[indexAt(place)]?.offset ?? place,
  });

  const note = (): void => {
    const element = scroller.current;
    const item = element && virtualizer.getVirtualItemForOffset(element.scrollTop);
    const row = item ? list[indexAt(item.index)] : undefined;
    if (element && item && row)
      anchor.current = { offset: row.offset, delta: element.scrollTop - item.start };
  };

  const readOn = (): void => {
    const element = scroller.current;
    if (!element || reader.isLoading) return;
    const { scrollTop, scrollHeight, clientHeight } = element;
    if (scrollTop < nearPx && rows.start > 0) void reader.above();
    if (scrollHeight - scrollTop - clientHeight < nearPx && !reader.isAtEnd) reader.below();
  };

  const onScroll = (): void => {
    const element = scroller.current;
    if (!element) return;
    const isUp = element.scrollTop < lastTop.current - 1;
    lastTop.current = element.scrollTop;
    const isBottom = isAtBottom(element);
    if (isUp && !isBottom && reader.isFollowing) reader.setFollowing(false);
    else if (isBottom && !isUp && !reader.isComplete && reader.isAtEnd && !reader.isLoading)
      reader.setFollowing(true);
    note();
    readOn();
  };

  const scrollTo = (top: number): void => {
    const element = scroller.current;
    if (!element) return;
    element.scrollTop = top;
    lastTop.current = element.scrollTop;
  };

  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element || reader.isLoading) return;
    const { goal } = reader;
    const isNew = goal !== undefined && goal !== done.current;
    done.current = goal;
    const start = (place: number): number => virtualizer.measurementsCache[place]?.start ?? place * rowPx;
    if (reader.isFollowing || (isNew && goal.offset === 'end')) scrollTo(element.scrollHeight);
    else if (isNew && goal.offset !== 'end') {
      const index = rows.indexOfOffset(goal.offset);
      const hidden = hiding(list, index, folded);
      if (hidden.length > 0) {
        done.current = undefined;
        return onUnfold(hidden);
      }
      scrollTo(goal.offset === 0 ? 0 : start(placeOf(seen, index)) - element.clientHeight / 3);
    } else if (anchor.current) {
      const { offset, delta } = anchor.current;
      const wanted = start(placeOf(seen, rows.indexOfOffset(offset))) + delta;
      if (Math.abs(wanted - element.scrollTop) >= 1) scrollTo(wanted);
    }
    note();
    readOn();
    // This depends only on the rows and their layout.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [version, folded, isWrapped]);

  const topOffset = (): number => anchor.current?.offset ?? rows.start;
  return { virtualizer, indexAt, onScroll, topOffset };
}
