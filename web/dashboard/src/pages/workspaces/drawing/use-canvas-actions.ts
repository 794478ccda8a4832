import { useReactFlow, useStoreApi } from '@xyflow/react';
import { nodeBoxId } from '../../../../../../src/labs/picture/graph-of.ts';
import type { Point } from '../../../../../../src/labs/picture/picture.ts';
import type { PlacedBox } from '../../../../../../src/labs/picture/place.ts';
import type { Drawing, Edit } from '../../../parts/drawing/drawing.ts';
import type { BoxNode } from '../../../parts/picture/flow-graph.ts';
import { freePlace } from '../../../parts/picture/kept-layout.ts';
import { copyPlaces, newBox } from './copy-places.ts';
import { namesOfCopies } from './free-names.ts';
import { editFor, type LinkTarget } from './link-targets.ts';
import { isEmpty, nothingSelected, type Selection } from './selection.ts';

/** Around a new node whose place the user chooses. */
const chosenRoom = 8;

export interface CanvasActionsProps {
  readonly drawing: Drawing;
  readonly onSelect: (selection: Selection) => void;
  /** Returns the reason of the first refusal. Undefined when the user may only look. */
  readonly onEdit: ((edit: Edit) => string | undefined) | undefined;
  /** Asks for a new node at a free place, with this device or the usual one. */
  readonly onAdd?: ((at: Point, device?: string) => void) | undefined;
  readonly onRename?: ((name: string) => void) | undefined;
  /** Undefined when there is nothing to undo. */
  readonly onUndo?: (() => void) | undefined;
  readonly onRedo?: (() => void) | undefined;
  /** The parent forgets all positions. */
  readonly onArrange?: (() => void) | undefined;
  /** Keeps the places of new nodes. */
  readonly onPut?: ((places: ReadonlyMap<string, Point>) => void) | undefined;
}

export interface CanvasActions {
  readonly add: (at?: Point, device?: string) => void;
  /** Opens the list of ends for a new link. */
  readonly link: (nodes: readonly string[]) => void;
  readonly connect: (nodes: readonly string[], target: LinkTarget) => void;
  readonly copy: (nodes: readonly string[]) => void;
  readonly remove: (selection: Selection) => void;
  readonly rename: (node: string) => void;
  readonly undo: (() => void) | undefined;
  readonly redo: (() => void) | undefined;
  readonly arrange: () => void;
}

const placedBox = ({ position, width = 0, height = 0 }: BoxNode): PlacedBox => ({
  ...position,
  width,
  height,
});

/** The edits of the drawing; undefined when the user may only look. */
export function useCanvasActions(
  props: CanvasActionsProps,
  onLink: (nodes: readonly string[]) => void,
  onRefusal: (reason: string | undefined) => void,
): CanvasActions | undefined {
  const { drawing, onSelect, onEdit, onAdd, onRename, onUndo, onRedo, onArrange, onPut } = props;
  const { getNodes, screenToFlowPosition } = useReactFlow<BoxNode>();
  const store = useStoreApi();
  if (!onEdit) return undefined;
  const edit = (one: Edit): boolean => {
    const refusal = onEdit(one);
    onRefusal(refusal);
    return refusal === undefined;
  };
  const boxes = (): PlacedBox[] => getNodes().map(placedBox);
  const middle = (): Point => {
    const room = store.getState().domNode?.getBoundingClientRect();
    if (!room) return { x: 0, y: 0 };
    return screenToFlowPosition({ x: room.left + room.width / 2, y: room.top + room.height / 2 });
  };
  const copy = (names: readonly string[]): void => {
    const known = drawing.nodes.filter(({ name }) => names.includes(name));
    const copies = namesOfCopies(
      known.map(({ name }) => name),
      drawing,
    );
    if (copies.size === 0) return;
    const ids = [...copies.keys()].map(nodeBoxId);
    const copied = ids.flatMap((id) => getNodes().filter((box) => box.id === id)).map(placedBox);
    const places = copyPlaces(copied, boxes());
    const moved = [...copies.values()].flatMap((name, index) => {
      const place = places[index];
      return place ? [[nodeBoxId(name), place] as const] : [];
    });
    if (!edit({ kind: 'copy-nodes', copies })) return;
    onPut?.(new Map(moved));
    onSelect({ nodes: [...copies.values()], links: [] });
  };
  return {
    add: (at, device) => onAdd?.(freePlace(newBox, at ?? middle(), boxes(), at && chosenRoom), device),
    link: (nodes) => {
      if (nodes.length > 0) onLink(nodes);
    },
    connect: (nodes, target) => void edit(editFor(nodes, target)),
    copy,
    remove: (selection) => {
      if (isEmpty(selection)) return;
      if (edit({ kind: 'remove', ...selection })) onSelect(nothingSelected);
    },
    rename: (node) => {
      // The focus comes back here: the box with the old name is gone then.
      store.getState().domNode?.focus({ preventScroll: true });
      onRename?.(node);
    },
    undo: onUndo,
    redo: onRedo,
    arrange: () => onArrange?.(),
  };
}
