import { useEffect, useRef, useState } from 'react';
import type { LabTopology } from '../../../../../../src/client/api-types.ts';
import type { Graph, Positions } from '../../../../../../src/labs/picture/picture.ts';
import type { PlacedGraph } from '../../../../../../src/labs/picture/place.ts';
import type { LayoutAnswer, LayoutTask } from './layout-worker.ts';

/** A topology with its graph. */
export interface Drawn {
  readonly topology: LabTopology;
  readonly graph: Graph;
}

/** The same with all positions. */
export interface Placement extends Drawn {
  readonly placed: PlacedGraph;
}

interface State {
  readonly placement?: Placement;
  readonly error?: Error;
}

const newWorker = (): Worker =>
  new Worker(new URL('./layout-worker.ts', import.meta.url), { type: 'module' });

/** Starts with this file, because its code takes longest to load. */
let early: Worker | undefined = newWorker();
early.addEventListener('error', () => (early = undefined), { once: true });

/** Computes the layout in a worker, again after each change; until then, the previous layout stays. */
export function usePlaced(drawn: Drawn | undefined, given: Positions | undefined): State {
  const [state, setState] = useState<State>({});
  const worker = useRef<Worker>(undefined);
  const nr = useRef(0);
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
    const task: LayoutTask = { nr: ++nr.current, graph: drawn.graph, given };
    const answer = ({ data }: MessageEvent<LayoutAnswer>): void => {
      if (data.nr !== task.nr) return;
      if (data.kind === 'placed') setState({ placement: { ...drawn, placed: data.placed } });
      else setState({ error: new Error(data.message) });
    };
    own.addEventListener('message', answer);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker, not a window
    own.postMessage(task);
    return () => own.removeEventListener('message', answer);
  }, [drawn, given]);
  return state;
}
