import { useRef, useState, type KeyboardEvent, type PointerEvent } from 'react';
import { sizeText } from '../../../parts/size-text.ts';
import classes from './log.module.css';

const thumbPx = 32;
/** The keys that move, with the fraction of the log. */
const steps: Readonly<Record<string, number>> = {
  ArrowUp: -0.01,
  ArrowDown: 0.01,
  PageUp: -0.1,
  PageDown: 0.1,
  Home: -1,
  End: 1,
};

/** The scrollbar of a log that does not fit in memory: the position in the whole log. */
export function WholeLogBar({
  at,
  size,
  onGo,
}: {
  readonly at: number;
  readonly size: number;
  readonly onGo: (offset: number) => void;
}) {
  const bar = useRef<HTMLDivElement>(null);
  const [dragged, setDragged] = useState<number>();
  const settling = useRef<ReturnType<typeof setTimeout>>(undefined);
  const part = dragged ?? (size === 0 ? 0 : Math.min(1, at / size));
  const drag = (event: PointerEvent): void => {
    const box = bar.current?.getBoundingClientRect();
    if (!box) return;
    const next = Math.min(1, Math.max(0, (event.clientY - box.top - thumbPx / 2) / (box.height - thumbPx)));
    setDragged(next);
    clearTimeout(settling.current);
    // While the user drags on, nothing is loaded.
    settling.current = setTimeout(() => onGo(Math.floor(next * size)), 60);
  };
  const key = (event: KeyboardEvent): void => {
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    onGo(Math.floor(Math.min(1, Math.max(0, part + step)) * size));
  };
  const top = `calc(${part} * (100% - ${thumbPx}px))`;
  return (
    <div
      ref={bar}
      className={classes['bar']}
      role="scrollbar"
      aria-label="Place in the whole log"
      aria-controls="log"
      aria-orientation="vertical"
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(part * 100)}
      aria-valuetext={`${sizeText(part * size)} of ${sizeText(size)}`}
      tabIndex={0}
      onKeyDown={key}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        drag(event);
      }}
      onPointerMove={(event) => {
        if (dragged !== undefined) drag(event);
      }}
      onPointerUp={() => setDragged(undefined)}
      onPointerCancel={() => setDragged(undefined)}
    >
      <div className={classes['thumb']} style={{ top }} />
      {dragged !== undefined && (
        <div className={classes['place']} style={{ top }}>
          {sizeText(part * size)} of {sizeText(size)}
        </div>
      )}
    </div>
  );
}
