import { useReducedMotion } from '@mantine/hooks';
import { useReactFlow, useStore } from '@xyflow/react';
import { useCallback, useEffect, useRef, type ReactNode } from 'react';
import { nodeBoxId } from '../../../../../../src/labs/picture/graph-of.ts';
import { Flow, type FlowProps } from './flow.tsx';
import { GroupsMenu, useGroups } from './groups.tsx';
import { fitting, Toolbar } from './toolbar.tsx';
import type { Placement } from './use-placed.ts';
import classes from './picture.module.css';

/** Below this, texts at lines are too small to be read. */
const farZoom = 0.6;

/** Its attribute changes with the zoom, and nothing in it is drawn anew for that. */
function Far({ children }: { readonly children: ReactNode }) {
  const isFar = useStore(({ transform }) => transform[2] < farZoom);
  return (
    <div className={classes['canvas']} data-far={isFar || undefined}>
      {children}
    </div>
  );
}

interface CanvasProps extends Omit<FlowProps, 'onTouch' | 'groups'> {
  /** Undefined where there is nothing to forget, or whoever looks may not. */
  readonly onForget: (() => void) | undefined;
  readonly onWide: () => void;
}

/** Shows all again when the room or the lab changes, until somebody has chosen a part of the picture. */
function useFit(graph: Placement['graph']) {
  const { fitView } = useReactFlow();
  const isTouched = useRef(false);
  const fitted = useRef({ room: '', graph });
  const room = useStore(({ width, height }) => `${width} ${height}`);
  useEffect(() => {
    const isFitted = fitted.current.room === room && fitted.current.graph === graph;
    if (isTouched.current || isFitted) return;
    const frame = requestAnimationFrame(() => {
      fitted.current = { room, graph };
      void fitView(fitting);
    });
    return () => cancelAnimationFrame(frame);
  }, [room, graph, fitView]);
  return useCallback((event: MouseEvent | TouchEvent | null) => {
    if (event !== null) isTouched.current = true;
  }, []);
}

/** The picture with its tools. */
export function Canvas({ onForget, onWide, ...props }: CanvasProps) {
  const { lab, placement, isWide } = props;
  const { topology, graph } = placement;
  const touch = useFit(graph);
  const { groups, shown, hidden, toggle } = useGroups(topology);
  const isStill = useReducedMotion();
  const { getNode, setCenter, getZoom } = useReactFlow();
  const find = (name: string): void => {
    const id = nodeBoxId(name);
    const box = getNode(id);
    if (!box) return;
    touch(new MouseEvent('find'));
    const { x, y } = box.position;
    void setCenter(x, y, { zoom: Math.max(getZoom(), 1), duration: isStill ? 0 : 250 }).then(() =>
      // It is drawn only now, where it was outside of what one saw.
      requestAnimationFrame(() =>
        document.querySelector<HTMLElement>(`[data-id="${CSS.escape(id)}"]`)?.focus({ preventScroll: true }),
      ),
    );
  };
  return (
    <>
      <Toolbar
        lab={lab}
        names={topology.nodes.map(({ name }) => name)}
        onFind={find}
        isWide={isWide}
        onWide={onWide}
        onForget={onForget}
      >
        {groups.length > 0 && <GroupsMenu groups={groups} hidden={hidden} onToggle={toggle} />}
      </Toolbar>
      <Far>
        <Flow {...props} onTouch={touch} groups={shown} />
      </Far>
    </>
  );
}
