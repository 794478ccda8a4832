/** The drawing of a topology file, which users edit with the pointer and with keys. */
import { Button, Text } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useReactFlow, useStoreApi } from '@xyflow/react';
import { useCallback, useEffect, useMemo, useRef, useState, type Ref } from 'react';
import type { Point, Positions } from '../../../../../../src/labs/picture/picture.ts';
import { isSamePlace } from '../../../../../../src/labs/picture/place.ts';
import { Loading } from '../../../parts/loading.tsx';
import { TooLarge, useDrawn } from '../../../parts/picture/drawing-picture.tsx';
import type { Placement, States } from '../../../parts/picture/flow-graph.ts';
import { GroupsMenu, useGroups } from '../../../parts/picture/groups.tsx';
import { boxesMax, usePlaced } from '../../../parts/picture/use-placed.ts';
import { PictureFrame, Far, flowLook, mapFrom, toolLook, useFit } from '../../../parts/picture/viewport.tsx';
import { ProblemNotice } from '../../../parts/problem-notice.tsx';
import { Tool } from '../../../parts/tool.tsx';
import { CanvasFlow } from './canvas-flow.tsx';
import { CanvasToolbar } from './canvas-toolbar.tsx';
import type { Problems } from './drawn-items.ts';
import { LinkPicker } from './link-picker.tsx';
import { NodeFinder } from './node-finder.tsx';
import { presentIn, type Selection } from './selection.ts';
import { useCanvasActions, type CanvasActions, type CanvasActionsProps } from './use-canvas-actions.ts';
import { useDrop, type DropAt } from './use-drop.ts';
import { useRefusal } from './use-draft.ts';
import { useShown } from './use-shown.ts';
import own from './drawing-canvas.module.css';

export interface DrawingCanvasProps extends CanvasActionsProps {
  /** The positions that are known. Boxes without one get a place when they appear, and keep it. */
  readonly given: Positions;
  /** All positions, whenever some of them are not in `given`. */
  readonly onPlaced?: (positions: Positions) => void;
  /** Of the lab that was started from the file. */
  readonly states?: States;
  readonly selected: Selection;
  /** Undefined when the user may not move boxes. */
  readonly onMove: ((moved: ReadonlyMap<string, Point>) => void) | undefined;
  /** Goes to the form beside the drawing. */
  readonly onForm: () => void;
  /** Whether an earlier text is drawn, because the present one cannot be read. */
  readonly isStale: boolean;
  readonly problems?: Problems;
  /** Brought into view when it changes. */
  readonly sought?: Selection | undefined;
  /** Drops a device of the palette. */
  readonly dropAt?: Ref<DropAt> | undefined;
  /** The name of the drawing for screen readers. */
  readonly label: string;
}

const positionsIn = ({ graph, placed }: Placement): Positions =>
  Object.fromEntries(
    graph.boxes.flatMap(({ id }, index) => {
      const box = placed.boxes[index];
      return box ? [[id, { x: box.x, y: box.y }]] : [];
    }),
  );

/** Reports the positions that the page does not know. */
function useReported(placement: Placement | undefined, { given, onPlaced }: DrawingCanvasProps): void {
  const newest = useRef({ given, onPlaced });
  useEffect(() => {
    newest.current = { given, onPlaced };
  });
  useEffect(() => {
    if (!placement) return;
    const positions = positionsIn(placement);
    const { given: known, onPlaced: report } = newest.current;
    const isKnown = Object.entries(positions).every(([id, at]) => known[id] && isSamePlace(known[id], at));
    if (!isKnown) report?.(positions);
  }, [placement]);
}

function EmptyHint({ actions }: { readonly actions: CanvasActions | undefined }) {
  return (
    <div className={own['hint']}>
      <Text fw={600}>No nodes yet</Text>
      {actions && (
        <>
          <Text size="sm" c="dimmed">
            Double-click anywhere, or press N.
          </Text>
          <Button mt="xs" onClick={() => actions.add()}>
            Add a node
          </Button>
        </>
      )}
    </div>
  );
}

/** The open list: the search, or the other ends of a link of these nodes. The focus comes back when it closes. */
function useList() {
  const [list, setList] = useState<'search' | readonly string[]>();
  const before = useRef<Element | null>(null);
  const open = (next: 'search' | readonly string[]): void => {
    before.current = document.activeElement;
    setList(next);
  };
  const close = (): void => {
    setList(undefined);
    const element = before.current;
    if (element instanceof HTMLElement || element instanceof SVGElement)
      element.focus({ preventScroll: true });
  };
  return { list, open, close };
}

/**
 * Fits the view after an arrangement, and when a whole topology appears in an empty drawing. A box that appears or moves out of sight,
 * such as a copy, or one whose move is undone, is brought into view.
 */
function useArranged(arrangement: number | undefined, placement: Placement | undefined): void {
  const { fitView, setCenter } = useReactFlow();
  const store = useStoreApi();
  const before = useRef<{ readonly arrangement: number | undefined; readonly boxes: Positions }>(undefined);
  useEffect(() => {
    const last = before.current;
    const boxes = placement ? positionsIn(placement) : {};
    before.current = { arrangement, boxes };
    if (!last) return undefined;
    const { width, height, transform } = store.getState();
    const [left, top, zoom] = transform;
    const isSeen = ({ x, y }: Point): boolean => {
      const [right, down] = [x * zoom + left, y * zoom + top];
      return right > 0 && right < width && down > 0 && down < height;
    };
    const isNew = last.arrangement !== undefined && last.arrangement !== arrangement;
    const isFirst = Object.keys(last.boxes).length === 0 && Object.keys(boxes).length > 1;
    const isOther = (id: string, at: Point): boolean => !last.boxes[id] || !isSamePlace(last.boxes[id], at);
    const [, hidden] = Object.entries(boxes).find(([id, at]) => isOther(id, at) && !isSeen(at)) ?? [];
    if (!isNew && !isFirst && !hidden) return undefined;
    const frame = requestAnimationFrame(() => {
      const isLarge = Object.keys(boxes).length > mapFrom;
      if (hidden && isLarge && !isNew && !isFirst) void setCenter(hidden.x, hidden.y, { zoom });
      else void fitView(flowLook.fitViewOptions);
    });
    return () => cancelAnimationFrame(frame);
  }, [arrangement, placement, fitView, setCenter, store]);
}

function Laid(props: DrawingCanvasProps) {
  const { drawing, given, states, problems, onArrange } = props;
  const selected = useMemo(() => presentIn(drawing, props.selected), [drawing, props.selected]);
  const drawn = useDrawn(drawing);
  const size = drawn.graph.boxes.length;
  const [arrangement, setArrangement] = useState(0);
  const { placement, error, ...laid } = usePlaced(size > boxesMax ? undefined : drawn, given, arrangement);
  useReported(placement, props);
  const { list, open, close } = useList();
  const arrange = useCallback(() => {
    setArrangement((before) => before + 1);
    onArrange?.();
  }, [onArrange]);
  const { note, ...refusal } = useRefusal([...selected.nodes, ...selected.links].join(' '));
  const actions = useCanvasActions({ ...props, onArrange: arrange }, open, note);
  const find = (): void => open('search');
  const [isArea, setArea] = useState(false);
  const { groups, shown, hidden, toggle } = useGroups(drawn.topology);
  useArranged(laid.arrangement, placement);
  useShown(props.sought);
  useDrop(props.dropAt, actions);
  const touch = useFit(placement !== undefined);
  if (size > boxesMax) return <TooLarge size={size} />;
  if (error) return <ProblemNotice error={error} title="The drawing cannot be laid out" />;
  if (!placement) return <Loading h="100%" />;
  return (
    <>
      <CanvasToolbar actions={actions} selected={selected} isArea={isArea} onArea={() => setArea(!isArea)}>
        <Tool
          {...toolLook}
          label="Find a node"
          tip="Find a node (/)"
          Icon={IconSearch}
          disabled={size === 0}
          onClick={find}
        />
        {groups.length > 0 && <GroupsMenu groups={groups} hidden={hidden} onToggle={toggle} />}
      </CanvasToolbar>
      <Far>
        <CanvasFlow
          {...props}
          selected={selected}
          placement={placement}
          states={states}
          problems={problems}
          actions={actions}
          onFind={find}
          refusal={refusal}
          groups={shown}
          isArea={isArea}
          onAreaEnd={() => setArea(false)}
          onTouch={touch}
        />
        {size === 0 && !props.isStale && <EmptyHint actions={actions} />}
        {list === 'search' && <NodeFinder drawing={drawing} onSelect={props.onSelect} onClose={close} />}
        {list && list !== 'search' && actions && (
          <LinkPicker drawing={drawing} nodes={list} onLink={actions.connect} onClose={close} />
        )}
      </Far>
    </>
  );
}

/** Its place gives it a height. */
export function DrawingCanvas(props: DrawingCanvasProps) {
  return (
    <PictureFrame>
      <Laid {...props} />
    </PictureFrame>
  );
}
