/** The boxes and lines of a drawing for React Flow, with their words for screen readers, their mistakes and the selection. */
import type { NodeChange, EdgeChange } from '@xyflow/react';
import { useCallback, useLayoutEffect, useMemo, useRef } from 'react';
import { linkBoxId, nodeBoxId } from '../../../../../../src/labs/picture/graph-of.ts';
import type { Drawing } from '../../../parts/drawing/drawing.ts';
import {
  lineName,
  linesOf,
  type BoxNode,
  type LineEdge,
  type Placement,
} from '../../../parts/picture/flow-graph.ts';
import { changedBy, ofBox, type Selection } from './selection.ts';

/** Of mistakes as sentences, by the IDs of boxes and links. */
export type Problems = ReadonlyMap<string, string>;

const noProblems: Problems = new Map();

/** Gives the same result for the same object, so that only changed boxes are drawn again. */
function remembered<From extends object, To>(make: (from: From) => To): (from: From) => To {
  const known = new WeakMap<From, To>();
  return (from) => {
    const before = known.get(from);
    if (before !== undefined) return before;
    const made = make(from);
    known.set(from, made);
    return made;
  };
}

const pressed = (isPressed: boolean) => ({ 'aria-pressed': isPressed, 'aria-roledescription': undefined });

/** The number of links of each node. */
function linkCounts({ links }: Drawing): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { ends, bridge } of links)
    for (const node of new Set([...ends.map((end) => end.node), ...(bridge === undefined ? [] : [bridge])]))
      counts.set(node, (counts.get(node) ?? 0) + 1);
  return counts;
}

const spokenWith = (label: string | undefined, ...more: (string | undefined)[]): string =>
  [label, ...more].filter((word) => word !== undefined).join(', ');

function markedBox(box: BoxNode, counts: ReadonlyMap<string, number>, problems: Problems): BoxNode {
  const common = { ariaRole: 'button' as const, focusable: true, domAttributes: pressed(false) };
  if (box.type === 'network') {
    const { link } = box.data;
    const problem = problems.get(box.id) ?? problems.get(link.id);
    const names = [...new Set(link.endpoints.map(({ node }) => node))].join(', ');
    const label = spokenWith(`network of ${names}`, box.ariaLabel?.split('\n')[0], problem);
    return { ...box, ...common, ariaLabel: label, data: { link, ...(problem !== undefined && { problem }) } };
  }
  const problem = problems.get(box.id);
  const count = counts.get(box.data.node.name) ?? 0;
  const label = spokenWith(box.ariaLabel, `${count} ${count === 1 ? 'link' : 'links'}`, problem);
  return {
    ...box,
    ...common,
    ariaLabel: label,
    data: { ...box.data, ...(problem !== undefined && { problem }) },
  };
}

function markedLine(line: LineEdge, problems: Problems): LineEdge {
  const { data } = line;
  if (!data) return line;
  // A network has a box, which is marked.
  const isOfNetwork = data.link.endpoints.length !== 2;
  const problem = isOfNetwork ? undefined : problems.get(data.link.id);
  const ends = data.texts.map(({ above, below }) => [above, ...below].join(' '));
  return {
    ...line,
    focusable: !isOfNetwork,
    ariaLabel: spokenWith(lineName(data), problem, ...ends),
    ...(!isOfNetwork && { ariaRole: 'button' as const, domAttributes: pressed(false) }),
    ...(problem !== undefined && { className: 'wrong', data: { ...data, problem } }),
  };
}

interface DrawnItems {
  readonly drawing: Drawing;
  readonly placement: Placement;
  readonly boxes: readonly BoxNode[];
  readonly problems?: Problems | undefined;
  readonly selected: Selection;
}

export function useDrawnItems({ drawing, placement, boxes, problems = noProblems, selected }: DrawnItems) {
  const mark = useMemo(() => {
    const counts = linkCounts(drawing);
    return remembered((box: BoxNode) => markedBox(box, counts, problems));
  }, [drawing, problems]);
  const selectBox = useMemo(
    () => remembered((box: BoxNode): BoxNode => ({ ...box, selected: true, domAttributes: pressed(true) })),
    [],
  );
  const selectLine = useMemo(
    () =>
      remembered((line: LineEdge): LineEdge => ({
        ...line,
        selected: true,
        ...(line.ariaRole && { domAttributes: pressed(true) }),
      })),
    [],
  );
  const plain = useMemo(() => linesOf(placement), [placement]);
  const lines = useMemo(() => plain.map((line) => markedLine(line, problems)), [plain, problems]);
  const nodes = useMemo(() => {
    const ids = new Set([...selected.nodes.map(nodeBoxId), ...selected.links.map(linkBoxId)]);
    return boxes.map(mark).map((box) => (ids.has(box.id) ? selectBox(box) : box));
  }, [boxes, mark, selected, selectBox]);
  const edges = useMemo(() => {
    const ids = new Set(selected.links);
    return lines.map((line) => (line.data && ids.has(line.data.link.id) ? selectLine(line) : line));
  }, [lines, selected, selectLine]);
  return { nodes, edges };
}

interface Selecting {
  readonly selected: Selection;
  readonly onSelect: (selection: Selection) => void;
  readonly edges: readonly LineEdge[];
}

/** Turns what React Flow selects into selections of nodes and links. */
export function useSelecting({ selected, onSelect, edges }: Selecting) {
  // React Flow reports boxes and lines one after the other, before anything is drawn again.
  const now = useRef(selected);
  useLayoutEffect(() => {
    now.current = selected;
  });
  const isArea = useRef(false);
  const apply = useCallback(
    (changes: readonly { readonly part: Selection; readonly isAdded: boolean }[]) => {
      if (changes.length === 0) return;
      now.current = changes.reduce((all, { part, isAdded }) => changedBy(all, part, isAdded), now.current);
      onSelect(now.current);
    },
    [onSelect],
  );
  const boxesChanged = useCallback(
    (changes: readonly NodeChange<BoxNode>[]) =>
      apply(
        changes.flatMap((change) =>
          change.type === 'select' ? [{ part: ofBox(change.id), isAdded: change.selected }] : [],
        ),
      ),
    [apply],
  );
  const linesChanged = useCallback(
    (changes: readonly EdgeChange<LineEdge>[]) =>
      apply(
        changes.flatMap((change) => {
          // An area selects the lines of its boxes too, also those that leave it.
          if (change.type !== 'select' || (change.selected && isArea.current)) return [];
          const link = edges.find(({ id }) => id === change.id)?.data?.link.id;
          return link === undefined ? [] : [{ part: { nodes: [], links: [link] }, isAdded: change.selected }];
        }),
      ),
    [apply, edges],
  );
  const setSelectingArea = useCallback((isOn: boolean) => {
    isArea.current = isOn;
  }, []);
  return { boxesChanged, linesChanged, setSelectingArea };
}
