import { useReactFlow, useStoreApi } from '@xyflow/react';
import { useRef, type KeyboardEvent } from 'react';
import type { Drawing } from '../../../parts/drawing/drawing.ts';
import type { BoxNode, LineEdge } from '../../../parts/picture/flow-graph.ts';
import { middleOf } from '../../../parts/picture/middle-of.ts';
import { useFindBox } from '../../../parts/picture/viewport.tsx';
import { canvasKey, type CanvasKey } from './canvas-keys.ts';
import { itemAt } from './link-handle.tsx';
import { directionOf, nextItem, type Item } from './next-item.ts';
import { everythingIn, isEmpty, nothingSelected, ofBox, type Selection } from './selection.ts';
import type { CanvasActions } from './use-canvas-actions.ts';

interface CanvasKeysProps {
  readonly drawing: Drawing;
  readonly selected: Selection;
  readonly onSelect: (selection: Selection) => void;
  readonly actions: CanvasActions | undefined;
  /** Goes to the form beside the drawing. */
  readonly onForm: () => void;
  readonly onFind: () => void;
  readonly mayMove: boolean;
}

/** Boxes, and lines that are no part of a network, with their middles. */
function itemsOf(boxes: readonly BoxNode[], lines: readonly LineEdge[]): Item[] {
  return [
    ...boxes.map(({ id, position }) => ({ id, ...position })),
    ...lines.flatMap(({ id, data, focusable }) =>
      data && focusable !== false ? [{ id, ...middleOf(data.points).at }] : [],
    ),
  ];
}

/** Handles the keys of the drawing before React Flow does. */
export function useCanvasKeys(props: CanvasKeysProps) {
  const { drawing, selected, onSelect, actions, mayMove, onForm, onFind } = props;
  const { getNodes, getEdges, getEdge } = useReactFlow<BoxNode, LineEdge>();
  const { getState } = useStoreApi();
  const find = useFindBox();
  const copied = useRef<readonly string[]>([]);
  /** The item with the focus. */
  const focusedPart = (id: string | undefined): Selection => {
    if (id === undefined) return nothingSelected;
    const link = getEdge(id)?.data?.link.id;
    return link === undefined ? ofBox(id) : { nodes: [], links: [link] };
  };
  const perform = (key: CanvasKey, part: Selection): void => {
    const [node] = part.nodes;
    if (key === 'form') {
      // The form is about the focused item then.
      if (!isEmpty(part)) onSelect(part);
      onForm();
    }
    if (key === 'all') onSelect(everythingIn(drawing));
    else if (key === 'none') onSelect(nothingSelected);
    else if (key === 'find') onFind();
    else if (key === 'add') actions?.add();
    else if (key === 'link') actions?.link(part.nodes);
    else if (key === 'copy') actions?.copy(part.nodes);
    else if (key === 'mark') copied.current = part.nodes;
    else if (key === 'paste') actions?.copy(copied.current);
    else if (key === 'rename' && node !== undefined) actions?.rename(node);
    else if (key === 'undo') actions?.undo?.();
    else if (key === 'redo') actions?.redo?.();
    else if (key === 'remove') {
      // The focused item is about to go.
      getState().domNode?.focus({ preventScroll: true });
      actions?.remove(part);
    }
  };
  const focus = (item: Item): void => {
    const element = getState().domNode?.querySelector<HTMLElement>(`[data-id="${CSS.escape(item.id)}"]`);
    if (element) element.focus();
    else find(item.id);
  };
  /** Moves the focus, unless the key moves the selection. */
  const goOn = (event: KeyboardEvent, id: string | undefined): void => {
    const direction = directionOf(event.key);
    if (!direction) return;
    // React Flow moves the boxes: the one with the focus and the others that are selected, or all in a selected area.
    const isArea =
      itemAt(event.target) === null && (event.target as Element).matches('.react-flow__nodesselection-rect');
    const isSelected = getNodes().find((box) => box.id === id)?.selected === true;
    if (mayMove && (isSelected || isArea)) return;
    event.preventDefault();
    event.stopPropagation();
    const next = nextItem(itemsOf(getNodes(), getEdges()), id, direction);
    if (next) focus(next);
  };
  return (event: KeyboardEvent<HTMLElement>): void => {
    const { target } = event;
    if (target instanceof HTMLElement && target.closest('input, textarea, select') !== null) return;
    const id = itemAt(target)?.dataset['id'];
    const key = canvasKey(event);
    if (key === undefined) {
      if (!event.ctrlKey && !event.metaKey && !event.altKey) goOn(event, id);
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    perform(key, isEmpty(selected) ? focusedPart(id) : selected);
  };
}
