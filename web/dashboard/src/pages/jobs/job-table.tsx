import { Center, Loader, Text, VisuallyHidden } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { Job } from '../../../../../src/client/api-types.ts';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { RemoveJob, useCancel, useRetry } from '../../parts/job-actions.tsx';
import { hasCause, JobRow } from './job-row.tsx';
import { useJobKeys, useSteadyPlace } from './use-table.ts';
import classes from './jobs.module.css';

interface Props {
  readonly jobs: readonly Job[];
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  readonly moreError: unknown;
  readonly more: () => void;
}

const columns = [
  ['State', ''],
  ['Action', ''],
  ['Lab', ''],
  ['Directory', ''],
  ['User', ''],
  ['Submitted', classes['number']],
  ['Duration', classes['number']],
  ['Cause, progress and labels', ''],
] as const;

const headPx = 34;
const widePx = 40;
const narrowPx = 60;
/** The third line of a failed job on narrow screens. */
const causePx = 22;

export function JobTable({ jobs, hasMore, isLoadingMore, moreError, more }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const [removed, setRemoved] = useState<Job>();
  const [focused, setFocused] = useState<string>();
  const retry = useRetry();
  const cancel = useCancel();
  const rowPx = useMediaQuery('(max-width: 62em)', undefined, { getInitialValueInEffect: false })
    ? narrowPx
    : widePx;
  // oxlint-disable-next-line react/incompatible-library -- the result is used only here
  const virtualizer = useVirtualizer<HTMLDivElement, Element>({
    count: jobs.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => rowPx + (rowPx === narrowPx && hasCause(jobs[index]) ? causePx : 0),
    overscan: 8,
    scrollPaddingStart: rowPx === widePx ? headPx : 0,
    getItemKey: (index) => jobs[index]?.id ?? index,
  });
  useLayoutEffect(() => virtualizer.measure(), [virtualizer, rowPx]);

  const noteTop = useSteadyPlace(scroller, jobs, virtualizer);
  const items = virtualizer.getVirtualItems();
  const last = items.at(-1)?.index ?? -1;
  useEffect(() => {
    if (hasMore && last >= jobs.length - 20 && moreError === undefined) more();
  }, [hasMore, last, jobs.length, more, moreError]);

  const goTo = useCallback((index: number) => virtualizer.scrollToIndex(index), [virtualizer]);
  useJobKeys({ jobs, focused, goTo, onFocus: setFocused });

  return (
    <div
      ref={scroller}
      className={classes['scroller']}
      role="table"
      aria-label="Jobs"
      aria-rowcount={hasMore ? -1 : jobs.length + 1}
      onScroll={noteTop}
    >
      <div role="rowgroup">
        <div role="row" className={classes['head']} aria-rowindex={1}>
          {columns.map(([name, look]) => (
            <div key={name} role="columnheader" className={look}>
              {name}
            </div>
          ))}
          <div role="columnheader">
            <VisuallyHidden>Actions</VisuallyHidden>
          </div>
        </div>
      </div>
      <div role="rowgroup" style={{ height: virtualizer.getTotalSize(), position: 'relative' }}>
        {items.map((item) => {
          const job = jobs[item.index];
          return (
            job && (
              <JobRow
                key={item.key}
                job={job}
                index={item.index}
                start={item.start}
                isFocused={job.id === focused}
                onFocus={setFocused}
                onCancel={cancel.ask}
                onRetry={retry.ask}
                onRemove={setRemoved}
              />
            )
          );
        })}
      </div>
      {moreError !== undefined && (
        <ProblemNotice error={moreError} title="Older jobs cannot be listed" onRetry={more} />
      )}
      {isLoadingMore && (
        <Center p="sm">
          <Loader size="sm" aria-label="Loading older jobs" />
        </Center>
      )}
      {!hasMore && jobs.length > 20 && (
        <Text size="sm" c="dimmed" ta="center" p="sm">
          {jobs.length} jobs in total
        </Text>
      )}
      {cancel.question}
      {retry.question}
      <RemoveJob job={removed} onClose={() => setRemoved(undefined)} />
    </div>
  );
}
