import { Box, useComputedColorScheme, Group } from '@mantine/core';
import { Background, MiniMap, Panel, ReactFlow } from '@xyflow/react';
import { useMemo, useState, type KeyboardEvent } from 'react';
import type { Fault, LabTopology } from '../../../../../../src/client/api-types.ts';
import { nodeBoxId } from '../../../../../../src/labs/picture/graph-of.ts';
import type { Point } from '../../../../../../src/labs/picture/picture.ts';
import { stateWords, type DrawnState } from '../../../../../../src/labs/picture/words.ts';
import { StateMark } from '../../../parts/picture/box-view.tsx';
import {
  linesOf,
  type BoxNode,
  type LineEdge,
  type Placement,
  type States,
} from '../../../parts/picture/flow-graph.ts';
import { Hulls, type NodeGroup } from '../../../parts/picture/groups.tsx';
import { useBoxes } from '../../../parts/picture/use-boxes.ts';
import { flowLook, mapFrom } from '../../../parts/picture/viewport.tsx';
import { brokenBy, withFaults, withTraffic } from './flow-marks.ts';
import { lossyLinks } from './traffic.ts';
import type { Traffic } from './use-traffic.ts';
import classes from '../../../parts/picture/picture.module.css';

interface LegendProps {
  readonly states: States;
  readonly topology: LabTopology;
  readonly faults: readonly Fault[];
  readonly traffic: Traffic;
}

/** The number of nodes in each state, of faults and of links that lose packets: also the legend of the marks. */
function Legend({ states, topology, faults, traffic }: LegendProps) {
  const lossy = lossyLinks(traffic.rates);
  const counts = new Map<DrawnState, number>();
  for (const { name } of topology.nodes) {
    const state = states?.get(name) ?? 'unknown';
    counts.set(state, (counts.get(state) ?? 0) + 1);
  }
  return (
    <Group className={`${classes['legend']} numbers`} gap="sm" role="status" aria-label="States of the nodes">
      {(['up', 'late', 'down', 'unknown'] as const).map(
        (state) =>
          (counts.get(state) ?? 0) > 0 && (
            <Group key={state} gap={4} wrap="nowrap">
              <StateMark state={state} />
              {counts.get(state)} {stateWords[state]}
            </Group>
          ),
      )}
      {faults.length > 0 && (
        <Group gap={4} wrap="nowrap">
          <svg className={classes['broken']} viewBox="0 0 20 10" width="20" height="10" aria-hidden>
            <path d="M0 5h20" />
          </svg>
          {faults.length} {faults.length === 1 ? 'fault' : 'faults'}
        </Group>
      )}
      {traffic.problem !== undefined && <span>Traffic: {traffic.problem}</span>}
      {lossy > 0 && (
        <span className={classes['lost']}>
          {lossy} {lossy === 1 ? 'link loses' : 'links lose'} packets
        </span>
      )}
    </Group>
  );
}

const speech = {
  'node.a11yDescription.default':
    'Enter opens the node. The arrow keys move a selected node, and Escape deselects it.',
  'node.a11yDescription.keyboardDisabled': 'Enter opens the node.',
  'edge.a11yDescription.default': 'Enter opens the link.',
};

export interface FlowProps {
  readonly lab: string;
  readonly placement: Placement;
  readonly states: States;
  readonly faults: readonly Fault[];
  readonly traffic: Traffic;
  /** Undefined when there is nothing to show of links. */
  readonly onLink: ((id: string) => void) | undefined;
  /** The name of the node with the open drawer. */
  readonly chosen: string | undefined;
  readonly onOpen: (name: string) => void;
  /** Undefined when the user may not move nodes. */
  readonly onMove: ((moved: ReadonlyMap<string, Point>) => void) | undefined;
  readonly isWide: boolean;
  /** Called when the user moves or zooms the picture, and with null when the page itself does. */
  readonly onTouch: (event: MouseEvent | TouchEvent | null) => void;
  readonly groups: readonly NodeGroup[];
}

/** Selects only the box of that node. */
function withSelected(boxes: readonly BoxNode[], name: string | undefined): BoxNode[] {
  const id = name === undefined ? undefined : nodeBoxId(name);
  return boxes.map((box) => {
    const selected = box.id === id;
    return (box.selected ?? false) === selected ? box : { ...box, selected };
  });
}

/** The boxes; the one of the node with the open drawer is selected. */
function useChosen({ chosen, ...props }: FlowProps) {
  const { boxes, setBoxes, change } = useBoxes(props);
  const [shown, setShown] = useState<string>();
  if (shown !== chosen) {
    setShown(chosen);
    setBoxes((before) => withSelected(before, chosen));
  }
  return { boxes, change };
}

/** The lines with their faults and their traffic; those of the chosen node stand out. */
function useLines({ placement, faults, traffic: { rates }, chosen, onLink }: FlowProps): LineEdge[] {
  const isButton = onLink !== undefined;
  const plain = useMemo(() => linesOf(placement), [placement]);
  const lines = useMemo(
    () => brokenBy(withTraffic(plain, rates), faults, isButton),
    [plain, rates, faults, isButton],
  );
  return useMemo(() => {
    if (chosen === undefined) return lines;
    const id = nodeBoxId(chosen);
    return lines.map((line) => {
      if (line.source !== id && line.target !== id) return line;
      return { ...line, className: `${line.className ?? ''} of-chosen` };
    });
  }, [lines, chosen]);
}

/** The drawing. It is drawn for each step of a drag; the parts around it are not. */
export function Flow(props: FlowProps) {
  const { lab, placement, states, faults, onOpen, onLink, onMove, isWide, onTouch, groups } = props;
  const { boxes, change } = useChosen(props);
  const scheme = useComputedColorScheme();
  const edges = useLines(props);
  const shown = useMemo(() => withFaults(boxes, faults), [boxes, faults]);
  const open = (id: string): void => {
    const name = id.slice(2);
    if (id === nodeBoxId(name)) onOpen(name);
  };
  const openLink = (line: LineEdge | undefined): void => {
    if (line?.data) onLink?.(line.data.link.id);
  };
  const press = (event: KeyboardEvent<HTMLElement>): void => {
    const { target, key } = event;
    if (!(target instanceof HTMLElement || target instanceof SVGElement)) return;
    if (!['Enter', ' '].includes(key) || !target.matches('.react-flow__node, .react-flow__edge')) return;
    event.preventDefault();
    const id = target.dataset['id'] ?? '';
    if (target instanceof HTMLElement) open(id);
    else openLink(edges.find((line) => line.id === id));
  };
  return (
    <ReactFlow<BoxNode, LineEdge>
      {...flowLook}
      aria-label={`Picture of lab ${lab}`}
      nodes={shown}
      edges={edges}
      onNodesChange={change}
      onNodeClick={(_event, { id }) => open(id)}
      onEdgeClick={(_event, line) => openLink(line)}
      onKeyDown={press}
      onMove={onTouch}
      nodesDraggable={onMove !== undefined}
      edgesFocusable={onLink !== undefined}
      // The wheel scrolls the page, and zooms with Ctrl; in full size, it zooms alone.
      zoomOnScroll={isWide}
      preventScrolling={isWide}
      colorMode={scheme}
      ariaLabelConfig={speech}
    >
      <Background gap={24} size={1} />
      <Hulls groups={groups} boxes={boxes} />
      <Panel position="bottom-left">
        <Legend states={states} topology={placement.topology} faults={faults} traffic={props.traffic} />
      </Panel>
      {boxes.length > mapFrom && (
        <Box visibleFrom="sm">
          <MiniMap pannable zoomable ariaLabel="Map of the whole picture" />
        </Box>
      )}
    </ReactFlow>
  );
}
