import { memo } from 'react';
import { durationText } from '../../../parts/duration-text.ts';
import { lastWritten, spansOf, type Span } from './ansi.ts';
import { placesOf } from './log-search.ts';
import { textOf, type LogRow } from './log-rows.ts';
import classes from './log.module.css';

interface Props {
  readonly row: LogRow;
  /** Undefined when the number is unknown, and for the rest of a long line. */
  readonly number: number | undefined;
  readonly find: string;
  readonly isMarked: boolean;
  readonly isFound: boolean;
  /** For a heading, whether its group is folded; undefined for an empty group. */
  readonly isFolded: boolean | undefined;
  readonly tookMs: number | undefined;
  readonly onFold: (row: LogRow) => void;
  readonly onMark: (row: LogRow, isMore: boolean) => void;
}

interface Part extends Span {
  readonly isHit: boolean;
}

/** Splits spans at the borders of matches. */
function withHits(spans: readonly Span[], find: string): readonly Part[] {
  if (find === '') return spans.map((span) => ({ ...span, isHit: false }));
  const places = placesOf(spans.map(({ text }) => text).join(''), find);
  const parts: Part[] = [];
  let at = 0;
  for (const span of spans) {
    const end = at + span.text.length;
    const cuts = places
      .flatMap((place) => [place, place + find.length])
      .filter((cut) => cut > at && cut < end);
    const edges = [at, ...cuts, end];
    for (const [index, from] of edges.slice(0, -1).entries()) {
      const isHit = places.some((place) => place <= from && from < place + find.length);
      parts.push({ ...span, text: span.text.slice(from - at, (edges[index + 1] ?? end) - at), isHit });
    }
    at = end;
  }
  return parts;
}

function lookOf(look: string): string {
  return look
    .split(' ')
    .map((name) => classes[name] ?? '')
    .join(' ');
}

function Line({ row, find }: Pick<Props, 'row' | 'find'>) {
  const parts = withHits(spansOf(lastWritten(textOf(row)), row.colours), find);
  let at = 0;
  return parts.map(({ text, look, color, background, isHit }) => {
    const key = at;
    at += text.length;
    if (look === '' && color === undefined && background === undefined && !isHit) return text;
    const Tag = isHit ? 'mark' : 'span';
    return (
      <Tag
        key={key}
        className={isHit ? classes['hit'] : lookOf(look)}
        style={isHit ? undefined : { color, background }}
      >
        {text}
      </Tag>
    );
  });
}

export const LogLine = memo(function LogLine(props: Props) {
  const { row, number, find, isMarked, isFound, isFolded, tookMs, onFold, onMark } = props;
  const place = number === undefined ? `#B${row.offset}` : `#L${number}`;
  return (
    <div
      className={classes['row']}
      data-level={row.level || undefined}
      data-marked={isMarked || undefined}
      data-found={isFound || undefined}
    >
      <a
        className={classes['number']}
        href={place}
        // Not a tab stop: a log has hundreds of rows, and there is a field for line numbers.
        tabIndex={-1}
        aria-label={number === undefined ? `Link to byte ${row.offset}` : `Line ${number}`}
        onClick={(event) => {
          event.preventDefault();
          onMark(row, event.shiftKey);
        }}
      >
        {row.isRest ? '' : (number ?? '·')}
      </a>
      {isFolded === undefined ? (
        <span className={classes['fold']} />
      ) : (
        <button
          type="button"
          className={classes['fold']}
          aria-expanded={!isFolded}
          aria-label={isFolded ? 'Unfold this group' : 'Fold this group'}
          onClick={() => onFold(row)}
        >
          {isFolded ? '▸' : '▾'}
        </button>
      )}
      <span className={classes['text']}>
        <Line row={row} find={find} />
      </span>
      {tookMs !== undefined && <span className={classes['took']}>{durationText(tookMs)}</span>}
    </div>
  );
});
