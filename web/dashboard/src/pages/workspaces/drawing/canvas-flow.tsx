import { Box, Group, useComputedColorScheme } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Background, MiniMap, Panel, ReactFlow, useReactFlow, useStoreApi } from '@xyflow/react';
import { useCallback, useEffect, useRef, type FocusEvent, type MouseEvent } from 'react';
import type { Point } from '../../../../../../src/labs/picture/picture.ts';
import { linkBoxId, nodeBoxId } from '../../../../../../src/labs/picture/graph-of.ts';
import type { Drawing } from '../../../parts/drawing/drawing.ts';
import { Hulls, type NodeGroup } from '../../../parts/picture/groups.tsx';
import type { BoxNode, LineEdge, Placement, States } from '../../../parts/picture/flow-graph.ts';
import { useBoxes } from '../../../parts/picture/use-boxes.ts';
import { flowLook, mapFrom } from '../../../parts/picture/viewport.tsx';
import { useDrawnItems, useSelecting, type Problems } from './drawn-items.ts';
import { LinkHandle } from './link-handle.tsx';
import { linkText } from './link-targets.ts';
import { selectionWords, type Selection } from './selection.ts';
import { Refusal } from './text-field.tsx';
import type { CanvasActions } from './use-canvas-actions.ts';
import { useCanvasKeys } from './use-canvas-keys.ts';
import classes from '../../../parts/picture/picture.module.css';
import own from './drawing-canvas.module.css';

const speech = {
  'node.a11yDescription.default':
    'Enter selects. The arrow keys go to the next node or link, or move a selected node. P goes to the properties.',
  'node.a11yDescription.keyboardDisabled': 'Enter selects.',
  'edge.a11yDescription.default':
    'Enter selects. The arrow keys go to the next node or link. P goes to the properties.',
};

export interface CanvasFlowProps {
  readonly drawing: Drawing;
  readonly placement: Placement;
  readonly states: States;
  readonly selected: Selection;
  readonly onSelect: (selection: Selection) => void;
  readonly onMove: ((moved: ReadonlyMap<string, Point>) => void) | undefined;
  readonly problems: Problems | undefined;
  readonly label: string;
  readonly actions: CanvasActions | undefined;
  readonly onForm: () => void;
  readonly onFind: () => void;
  /** Why the last edit was refused. */
  readonly refusal: { readonly problem: string | undefined; readonly nr: number };
  readonly groups: readonly NodeGroup[];
  readonly isArea: boolean;
  readonly onAreaEnd: () => void;
  readonly onTouch: (event: globalThis.MouseEvent | TouchEvent | null) => void;
}

/** The selection in words, its mistakes, and the reason of a refusal. */
function Note({
  drawing,
  selected,
  problems,
  refusal,
}: Pick<CanvasFlowProps, 'drawing' | 'selected' | 'problems' | 'refusal'>) {
  const ofNodes = selected.nodes.map((name) => ({ name, problem: problems?.get(nodeBoxId(name)) }));
  const ofLinks = drawing.links
    .filter(({ id }) => selected.links.includes(id))
    .map((link) => ({
      name: linkText(link),
      problem: problems?.get(link.id) ?? problems?.get(linkBoxId(link.id)),
    }));
  const wrong = [...ofNodes, ...ofLinks].filter(({ problem }) => problem !== undefined);
  const count = selected.nodes.length + selected.links.length;
  return (
    <Panel position="bottom-left" className={own['note'] ?? ''}>
      <div role="status" aria-label="Selection">
        {count > 1 && <div className={classes['legend']}>{selectionWords(selected)} selected</div>}
        {wrong.slice(0, 3).map(({ name, problem }) => (
          <Group key={name} className={classes['legend']} gap={6} wrap="nowrap">
            <IconAlertTriangle size={16} aria-hidden style={{ flex: 'none' }} />
            {name}: {problem}
          </Group>
        ))}
      </div>
      {refusal.problem !== undefined && (
        <div key={refusal.nr} className={classes['legend']}>
          <Refusal problem={refusal.problem} />
        </div>
      )}
    </Panel>
  );
}

/** Keeps the focus, and so the keys, in the drawing when its focused part goes. */
function useKeptFocus() {
  const { getState } = useStoreApi();
  const hadFocus = useRef(false);
  useEffect(() => {
    const { domNode } = getState();
    if (!domNode) return undefined;
    // Before the next event: a key that comes at once would go to the page.
    const observer = new MutationObserver(() => {
      if (hadFocus.current && document.activeElement === document.body)
        domNode.focus({ preventScroll: true });
    });
    observer.observe(domNode, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, [getState]);
  return {
    onFocusCapture: () => (hadFocus.current = true),
    onBlurCapture: ({ target }: FocusEvent) => {
      if (target.isConnected) hadFocus.current = false;
    },
  };
}

/** The drawing. It is drawn for each step of a drag; the parts around it are not. */
export function CanvasFlow(props: CanvasFlowProps) {
  const { drawing, selected, onSelect, onMove, actions, groups, isArea, label } = props;
  const { boxes, change } = useBoxes(props);
  const { nodes, edges } = useDrawnItems({ ...props, boxes });
  const { boxesChanged, linesChanged, setSelectingArea } = useSelecting({ selected, onSelect, edges });
  const press = useCanvasKeys({ ...props, mayMove: onMove !== undefined });
  const { screenToFlowPosition } = useReactFlow();
  const scheme = useComputedColorScheme();
  const addHere = (event: MouseEvent): void => {
    const { target, clientX, clientY } = event;
    if (!(target instanceof Element) || !target.matches('.react-flow__pane')) return;
    actions?.add(screenToFlowPosition({ x: clientX, y: clientY }));
  };
  const [only] = selected.nodes;
  return (
    <ReactFlow<BoxNode, LineEdge>
      {...flowLook}
      className={own['drawing'] ?? ''}
      aria-label={label}
      tabIndex={0}
      nodes={nodes}
      edges={edges}
      onNodesChange={useCallback(
        (changes) => {
          boxesChanged(changes);
          // The selection belongs to the page.
          change(changes.filter(({ type }) => type !== 'select'));
        },
        [boxesChanged, change],
      )}
      onEdgesChange={linesChanged}
      onKeyDownCapture={press}
      {...useKeptFocus()}
      onDoubleClick={addHere}
      onMove={props.onTouch}
      onSelectionStart={() => setSelectingArea(true)}
      onSelectionEnd={() => {
        setSelectingArea(false);
        props.onAreaEnd();
      }}
      multiSelectionKeyCode={['Shift', 'Control', 'Meta']}
      panActivationKeyCode={null}
      selectionOnDrag={isArea}
      panOnDrag={!isArea}
      zoomOnDoubleClick={false}
      nodesDraggable={onMove !== undefined}
      colorMode={scheme}
      ariaLabelConfig={speech}
    >
      <Background gap={24} size={1} />
      <Hulls groups={groups} boxes={nodes} />
      {actions && (
        <LinkHandle
          drawing={drawing}
          chosen={selected.nodes.length + selected.links.length === 1 ? only : undefined}
          onLink={actions.connect}
          onPress={(name) => actions.link([name])}
        />
      )}
      <Note {...props} />
      {boxes.length > mapFrom && (
        <Box visibleFrom="sm">
          <MiniMap pannable zoomable ariaLabel="Map of the whole picture" />
        </Box>
      )}
    </ReactFlow>
  );
}
