import { useRef } from 'react';
import type { Job } from '../../../../../../src/client/api-types.ts';
import { groupEnd, timeTaken } from './groups.ts';
import type { LogReader } from './log-reader.ts';
import { textOf, type LogRow } from './log-rows.ts';
import { LogLine } from './log-row.tsx';
import type { Marks } from './use-marks.ts';
import { useShownRows } from './use-rows.ts';
import { WholeLogBar } from './whole-log-bar.tsx';
import classes from './log.module.css';

function sentence({ state, reason, exitCode, signal }: Job): string {
  switch (reason) {
    case 'log-limit':
      return 'The log was cut here: it exceeded its limit, and the job was ended. Later output was not stored.';
    case 'canceled':
      return 'The job was canceled here.';
    case 'timeout':
      return 'The job was ended here: it took longer than its limit.';
    case 'interrupted':
      return 'The log ends here: the service or the machine went down, and the result of the job is unknown.';
    case 'spawn-error':
      return 'The lab CLI could not be started.';
    case 'signaled':
      return `The lab CLI was ended by ${signal ?? 'a signal'}.`;
    case 'exited':
      return `End of the log: ${state}${exitCode === null ? '' : `, exit code ${exitCode}`}.`;
    case null:
      return state === 'canceled' ? 'The job was canceled before it started.' : 'End of the log.';
  }
}

/** The result of the job, below the last line of its log. */
export function LogEnd({ job }: { readonly job: Job }) {
  return <div className={classes['end']}>{sentence(job)}</div>;
}

interface Props {
  readonly job: Job;
  readonly reader: LogReader;
  readonly version: number;
  readonly find: string;
  readonly isWrapped: boolean;
  readonly folded: ReadonlySet<number>;
  readonly foundOffset: number | undefined;
  readonly marks: Marks;
  readonly onFold: (row: LogRow) => void;
  readonly onUnfold: (headings: readonly number[]) => void;
}

/** The number of rows at both ends of a group that may contain its times. */
const looked = 20;

interface Group {
  readonly isFolded: boolean | undefined;
  readonly tookMs: number | undefined;
}

function groupOf(rows: readonly LogRow[], index: number, folded: ReadonlySet<number>): Group {
  const row = rows[index];
  if (!row || row.level === 0) return { isFolded: undefined, tookMs: undefined };
  const end = groupEnd(rows, index);
  // A group that is not finished, or that is empty, has no duration.
  const last = Math.max(index + 1, end - looked);
  const lines = [...rows.slice(index, Math.min(index + looked, last)), ...rows.slice(last, end)].map(textOf);
  const isEmpty = end - index <= 1;
  return {
    isFolded: isEmpty ? undefined : folded.has(row.offset),
    tookMs: isEmpty ? undefined : timeTaken(lines),
  };
}

/** The visible rows, and the scrollbar. */
export function LogList(props: Props) {
  const { job, reader, version, find, isWrapped, folded, foundOffset, marks, onFold, onUnfold } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const shown = useShownRows({ reader, version, scroller, folded, onUnfold, isWrapped });
  const { virtualizer, indexAt } = shown;
  const items = virtualizer.getVirtualItems();
  const { rows } = reader.rows;
  const isPart = !reader.isWhole;
  return (
    <>
      <div
        ref={scroller}
        id="log"
        className={`${classes['scroller']} ${isWrapped ? classes['wrap'] : ''}`}
        data-part={isPart || undefined}
        role="region"
        aria-label="Log"
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrollable region must be reachable by keyboard
        tabIndex={0}
        onScroll={shown.onScroll}
      >
        <div style={{ height: virtualizer.getTotalSize(), position: 'relative' }}>
          <div style={{ transform: `translateY(${items[0]?.start ?? 0}px)` }}>
            {items.map((item) => {
              const index = indexAt(item.index);
              const row = rows[index];
              if (!row) return null;
              const number = reader.rows.numberOf(row);
              return (
                <div
                  key={item.key}
                  data-index={item.index}
                  ref={isWrapped ? virtualizer.measureElement : undefined}
                >
                  <LogLine
                    {...{ row, number, find, onFold, ...groupOf(rows, index, folded) }}
                    isMarked={marks.isMarked(row, number)}
                    isFound={row.offset === foundOffset}
                    onMark={marks.mark}
                  />
                </div>
              );
            })}
          </div>
        </div>
        {reader.isComplete && reader.isAtEnd && <LogEnd job={job} />}
      </div>
      {isPart && (
        <WholeLogBar
          at={
            reader.isFollowing || (reader.goal?.offset === 'end' && reader.isAtEnd)
              ? reader.size
              : shown.topOffset()
          }
          size={reader.size}
          onGo={(offset) => (offset >= reader.size ? reader.open('end') : reader.open(offset))}
        />
      )}
    </>
  );
}
