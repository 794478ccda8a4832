/** Keeps the rows of a changing table in place, and moves between them by keyboard. */
import type { Virtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useRef, type RefObject } from 'react';
import type { Job } from '../../../../../src/client/api-types.ts';

/** Keeps the visible rows in place when rows above them appear or grow. Returns the scroll handler. */
export function useSteadyPlace(
  scroller: RefObject<HTMLElement | null>,
  jobs: readonly Job[],
  virtualizer: Virtualizer<HTMLDivElement, Element>,
): () => void {
  const top = useRef<{ id: string; start: number }>(undefined);
  const note = (): void => {
    const row = virtualizer.getVirtualItemForOffset(scroller.current?.scrollTop ?? 0);
    const job = row && jobs[row.index];
    top.current = job && { id: job.id, start: row.start };
  };
  useLayoutEffect(() => {
    const element = scroller.current;
    const before = top.current;
    const rows = virtualizer.measurementsCache;
    // At the top of the table, new jobs are shown.
    if (element && before && element.scrollTop >= (rows[0]?.size ?? 0)) {
      const start = rows[jobs.findIndex(({ id }) => id === before.id)]?.start;
      if (start !== undefined && start !== before.start) element.scrollBy(0, start - before.start);
    }
    note();
  });
  return note;
}

/** The keys that move between jobs, with their step. */
const steps: Readonly<Record<string, number>> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };

/** Whether the keys belong to the focused element: a field, a menu, a dialog. */
const isTaken = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  target.closest('input, textarea, select, [role=menu], [role=dialog], [role=listbox]') !== null;

interface Keys {
  readonly jobs: readonly Job[];
  /** The ID of the focused job. */
  readonly focused: string | undefined;
  readonly goTo: (index: number) => void;
  readonly onFocus: (id: string | undefined) => void;
}

export function useJobKeys({ jobs, focused, goTo, onFocus }: Keys): void {
  const current = useRef({ jobs, focused });
  useEffect(() => {
    current.current = { jobs, focused };
  }, [jobs, focused]);
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const step = steps[event.key];
      if (step === undefined || isTaken(event.target) || event.ctrlKey || event.metaKey || event.altKey)
        return;
      const { jobs: all, focused: from } = current.current;
      event.preventDefault();
      const at = all.findIndex(({ id }) => id === from);
      const next = Math.min(all.length - 1, Math.max(0, at === -1 ? 0 : at + step));
      goTo(next);
      onFocus(all[next]?.id);
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, [goTo, onFocus]);
}
