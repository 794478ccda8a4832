import { useReducedMotion } from '@mantine/hooks';
import { IconActivity } from '@tabler/icons-react';
import { useReactFlow, useStore } from '@xyflow/react';
import { useCallback, useEffect, useRef, type ReactNode } from 'react';
import { nodeBoxId } from '../../../../../../src/labs/picture/graph-of.ts';
import { Tool } from '../../../parts/tool.tsx';
import { Flow, type FlowProps } from './flow.tsx';
import { GroupsMenu, useGroups } from './groups.tsx';
import { fitting, Toolbar } from './toolbar.tsx';
import type { Placement } from './use-placed.ts';
import classes from './picture.module.css';

/** Below this zoom, the text at lines is too small to read. */
const farZoom = 0.6;

/** Only its attribute changes with the zoom: its content is not drawn again. */
function Far({ children }: { readonly children: ReactNode }) {
  const isFar = useStore(({ transform }) => transform[2] < farZoom);
  return (
    <div className={classes['canvas']} data-far={isFar || undefined}>
      {children}
    </div>
  );
}

interface CanvasProps extends Omit<FlowProps, 'onTouch' | 'groups'> {
  /** Undefined when nothing was moved, or the user may not change the layout. */
  readonly onForget: (() => void) | undefined;
  readonly onWide: () => void;
}

/** Fits the picture again after a change of the size or the lab, until the user has moved or zoomed it. */
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

/** The picture with its toolbar. */
export function Canvas({ onForget, onWide, ...props }: CanvasProps) {
  const { lab, placement, isWide, traffic } = props;
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
      // A node outside of the view is drawn only now.
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
        <Tool
          label="Traffic"
          Icon={IconActivity}
          size="lg"
          iconSize={18}
          aria-pressed={traffic.isOn}
          {...(traffic.isOn && { c: 'var(--mantine-primary-color-filled)' })}
          onClick={traffic.toggle}
        />
        {groups.length > 0 && <GroupsMenu groups={groups} hidden={hidden} onToggle={toggle} />}
      </Toolbar>
      <Far>
        <Flow {...props} onTouch={touch} groups={shown} />
      </Far>
    </>
  );
}
