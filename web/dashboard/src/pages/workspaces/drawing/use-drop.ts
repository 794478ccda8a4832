import { useReactFlow, useStoreApi } from '@xyflow/react';
import { useImperativeHandle, type Ref } from 'react';
import type { Point } from '../../../../../../src/labs/picture/picture.ts';
import type { CanvasActions } from './use-canvas-actions.ts';

/** Adds a node with this device at a place of the window; outside of the drawing, it does nothing. */
export type DropAt = (device: string, at: Point) => void;

/** Makes `DropAt` known to the page around the drawing. */
export function useDrop(ref: Ref<DropAt> | undefined, actions: CanvasActions | undefined): void {
  const { screenToFlowPosition } = useReactFlow();
  const { getState } = useStoreApi();
  useImperativeHandle(ref, () => (device, at) => {
    const { domNode } = getState();
    if (domNode?.contains(document.elementFromPoint(at.x, at.y)) !== true) return;
    actions?.add(screenToFlowPosition(at), device);
    // The keys work at once, such as the one that takes the node back.
    domNode.focus({ preventScroll: true });
  });
}
