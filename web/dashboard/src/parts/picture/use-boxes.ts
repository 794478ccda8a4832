import { applyNodeChanges, type NodeChange } from '@xyflow/react';
import { useCallback, useState } from 'react';
import type { Point } from '../../../../../src/labs/picture/picture.ts';
import { boxesOf, withStates, type BoxNode, type Placement, type States } from './flow-graph.ts';

/** The boxes with a final position in these changes, by pointer or arrow keys; without boxes that are still being dragged. */
function movedBy(changes: readonly NodeChange<BoxNode>[]): Map<string, Point> {
  return new Map(
    changes.flatMap((change) => {
      const isPut = change.type === 'position' && change.dragging !== true && change.position !== undefined;
      return isPut && change.position ? [[change.id, change.position] as const] : [];
    }),
  );
}

interface BoxesProps {
  readonly placement: Placement;
  readonly states: States;
  /** Undefined when the user may not move boxes. */
  readonly onMove: ((moved: ReadonlyMap<string, Point>) => void) | undefined;
}

/** The boxes with the changes of the user; they follow the layout and the states. */
export function useBoxes({ placement, states, onMove }: BoxesProps) {
  const [boxes, setBoxes] = useState(() => boxesOf(placement, states, []));
  const [shown, setShown] = useState({ placement, states });
  if (shown.placement !== placement || shown.states !== states) {
    setShown({ placement, states });
    setBoxes(shown.placement === placement ? withStates(boxes, states) : boxesOf(placement, states, boxes));
  }
  const change = useCallback(
    (changes: NodeChange<BoxNode>[]) => {
      setBoxes((before) => applyNodeChanges(changes, before));
      const moved = movedBy(changes);
      if (moved.size > 0) onMove?.(moved);
    },
    [onMove],
  );
  return { boxes, setBoxes, change };
}
