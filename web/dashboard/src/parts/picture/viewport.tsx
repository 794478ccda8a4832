/** The part of a picture that the user sees: it fits, zooms, and goes to a box. */
import '@xyflow/react/dist/base.css';
import { Paper } from '@mantine/core';
import { useReducedMotion } from '@mantine/hooks';
import { IconFocusCentered, IconZoomIn, IconZoomOut } from '@tabler/icons-react';
import { ReactFlowProvider, useReactFlow, useStore } from '@xyflow/react';
import { useCallback, useEffect, useRef, type ReactNode } from 'react';
import { Tool } from '../tool.tsx';
import { DeviceView, NetworkView } from './box-view.tsx';
import { LineView } from './line-view.tsx';
import classes from './picture.module.css';

/** With more boxes, a minimap shows the position, and a view of all of them is too small. */
export const mapFrom = 40;

const fitting = { padding: 0.08, maxZoom: 1.25 };

/** The properties of React Flow that all pictures share. Users do not draw links with its handles. */
export const flowLook = {
  nodeTypes: { device: DeviceView, network: NetworkView },
  edgeTypes: { line: LineView },
  nodeOrigin: [0.5, 0.5] as [number, number],
  nodesConnectable: false,
  edgesReconnectable: false,
  deleteKeyCode: null,
  nodeDragThreshold: 4,
  onlyRenderVisibleElements: true,
  minZoom: 0.03,
  maxZoom: 3,
  fitView: true,
  fitViewOptions: fitting,
  proOptions: { hideAttribution: true },
};

/** The frame of a picture. Its place gives it a height. */
export function PictureFrame({ children }: { readonly children: ReactNode }) {
  return (
    <Paper withBorder className={classes['picture']}>
      <ReactFlowProvider>{children}</ReactFlowProvider>
    </Paper>
  );
}

/** Below this zoom, the text at lines is too small to read. */
const farZoom = 0.6;

/** Only its attribute changes with the zoom: its content is not drawn again. */
export function Far({ children }: { readonly children: ReactNode }) {
  const isFar = useStore(({ transform }) => transform[2] < farZoom);
  return (
    <div className={classes['canvas']} data-far={isFar || undefined}>
      {children}
    </div>
  );
}

/**
 * Fits the picture when it appears, and again after a change of the size or of `fitted`, until the user has moved or zoomed it.
 * React Flow itself forgets to when it knows the sizes of all boxes at once. The result is for `onMove` of React Flow, which
 * calls it with null when the page itself moves the picture. A click is no move.
 */
export function useFit(fitted: unknown) {
  const { fitView } = useReactFlow();
  const isTouched = useRef(false);
  // Another one when the picture goes and comes back, perhaps before the next frame and in the same room.
  const view = useStore(({ panZoom }) => panZoom);
  const last = useRef({ view, room: '', fitted });
  const room = useStore(({ width, height }) => `${width} ${height}`);
  useEffect(() => {
    if (!view) return;
    const isOther = last.current.view !== view;
    const isFitted = last.current.room === room && last.current.fitted === fitted;
    if (!isOther && (isTouched.current || isFitted)) return;
    const frame = requestAnimationFrame(() => {
      if (isOther) isTouched.current = false;
      last.current = { view, room, fitted };
      void fitView(fitting);
    });
    return () => cancelAnimationFrame(frame);
  }, [view, room, fitted, fitView]);
  return useCallback((event: MouseEvent | TouchEvent | null) => {
    if (event !== null) isTouched.current = true;
  }, []);
}

/** Shows a box in the middle of the view, and focuses it. */
export function useFindBox(): (id: string) => void {
  const isStill = useReducedMotion();
  const { getNode, setCenter, getZoom } = useReactFlow();
  return (id) => {
    const box = getNode(id);
    if (!box) return;
    const { x, y } = box.position;
    void setCenter(x, y, { zoom: Math.max(getZoom(), 1), duration: isStill ? 0 : 250 }).then(() =>
      // A box outside of the view is drawn only now.
      requestAnimationFrame(() =>
        document.querySelector<HTMLElement>(`[data-id="${CSS.escape(id)}"]`)?.focus({ preventScroll: true }),
      ),
    );
  };
}

export const toolLook = { size: 'lg', iconSize: 18 } as const;

export function ZoomTools() {
  const { zoomIn, zoomOut, fitView } = useReactFlow();
  return (
    <>
      <Tool {...toolLook} label="Zoom out" Icon={IconZoomOut} onClick={() => void zoomOut()} />
      <Tool {...toolLook} label="Zoom in" Icon={IconZoomIn} onClick={() => void zoomIn()} />
      <Tool
        {...toolLook}
        label="Fit the picture"
        Icon={IconFocusCentered}
        onClick={() => void fitView(fitting)}
      />
    </>
  );
}
