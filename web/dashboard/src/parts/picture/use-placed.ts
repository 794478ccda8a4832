import { useEffect, useRef, useState } from 'react';
import type { Positions } from '../../../../../src/labs/picture/picture.ts';
import type { Drawn, Placement } from './flow-graph.ts';
import type { LayoutAnswer, LayoutTask } from './layout-worker.ts';

/** A larger picture is useless and takes minutes to lay out: the service has the same limit. */
export const boxesMax = 1_500;

interface State {
  readonly placement?: Placement;
  /** The arrangement that it is a part of. */
  readonly arrangement?: number | undefined;
  readonly error?: Error;
}

const newWorker = (): Worker =>
  new Worker(new URL('./layout-worker.ts', import.meta.url), { type: 'module' });

/** Starts with this file, because its code takes longest to load. */
let early: Worker | undefined = newWorker();
early.addEventListener('error', () => (early = undefined), { once: true });

/** Computes the layout in a worker, again after each change; until then, the previous layout stays. */
export function usePlaced(
  drawn: Drawn | undefined,
  given: Positions | undefined,
  /** In a drawing that is edited, boxes stay where they are until this number changes. */
  arrangement?: number,
): State {
  const [state, setState] = useState<State>({});
  const worker = useRef<Worker>(undefined);
  const nr = useRef(0);
  const arranged = useRef(arrangement);
  useEffect(() => {
    const own = early ?? newWorker();
    early = undefined;
    worker.current = own;
    own.addEventListener('error', ({ message }) => {
      setState({ error: new Error(message || 'the layout worker did not load') });
    });
    return () => own.terminate();
  }, []);
  useEffect(() => {
    const own = worker.current;
    if (!own || !drawn || !given) return;
    const edits = arranged.current === arrangement ? 'keep' : 'arrange';
    arranged.current = arrangement;
    const { graph } = drawn;
    const task: LayoutTask = { nr: ++nr.current, graph, given, ...(arrangement !== undefined && { edits }) };
    const answer = ({ data }: MessageEvent<LayoutAnswer>): void => {
      if (data.nr !== task.nr) return;
      if (data.kind === 'placed') setState({ placement: { ...drawn, placed: data.placed }, arrangement });
      else setState({ error: new Error(data.message) });
    };
    own.addEventListener('message', answer);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker, not a window
    own.postMessage(task);
    return () => own.removeEventListener('message', answer);
  }, [drawn, given, arrangement]);
  return state;
}
