/** Nodes and edges for React Flow. Positions are the centres of boxes. */
import { Position, type Edge, type Node, type NodeHandle } from '@xyflow/react';
import type { LabTopology } from '../../../../../src/client/api-types.ts';
import type { TopologyLink, TopologyNode } from '../../../../../src/labs/drivers/topology.ts';
import { isLine, lineOwners, networkTexts, soundLinks } from '../../../../../src/labs/picture/graph-of.ts';
import type { Graph, PlacedText, Point } from '../../../../../src/labs/picture/picture.ts';
import { shiftsOf, type PlacedBox, type PlacedGraph } from '../../../../../src/labs/picture/place.ts';
import { linkWords, stateWords, type DrawnState } from '../../../../../src/labs/picture/words.ts';

/** A topology with its graph. */
export interface Drawn {
  readonly topology: LabTopology;
  readonly graph: Graph;
}

/** The same with all positions. */
export interface Placement extends Drawn {
  readonly placed: PlacedGraph;
}

interface DeviceData extends Record<string, unknown> {
  readonly node: TopologyNode;
  /** Undefined in a drawing of a lab that does not run. */
  readonly state: DrawnState | undefined;
  /** The fault of the node in words. */
  readonly fault?: string;
  /** The mistake in its entry, as a sentence. */
  readonly problem?: string;
}
export type DeviceNode = Node<DeviceData, 'device'>;
export type NetworkNode = Node<{ readonly link: TopologyLink; readonly problem?: string }, 'network'>;
export type BoxNode = DeviceNode | NetworkNode;

/** The traffic of a line: in words, and in the width of the line. */
export interface LineTraffic {
  readonly words: string;
  /** In pixels. */
  readonly width: number;
  /** Whether packets were lost since the reading before. */
  readonly isLossy: boolean;
}

/** The width of a line without traffic, in pixels. */
export const thinnest = 1.5;

interface LineData extends Record<string, unknown> {
  readonly link: TopologyLink;
  /** The nodes that it joins here; of a network, one. */
  readonly nodes: readonly string[];
  readonly points: readonly Point[];
  readonly texts: readonly PlacedText[];
  /** Absent when it is unknown, or not wanted. */
  readonly traffic?: LineTraffic;
  /** The mistake in the entry of the link, as a sentence. */
  readonly problem?: string;
  readonly shift: number;
  /** The boxes at the time of the layout: once one of them has moved, the line is straight. */
  readonly from: PlacedBox;
  readonly to: PlacedBox;
}
export type LineEdge = Edge<LineData, 'line'>;

/** By the names of nodes; undefined in a drawing of a lab that does not run, and for a node that is not in the lab yet. */
export type States = ReadonlyMap<string, DrawnState | undefined> | undefined;

const stateIn = (states: States, name: string): DrawnState | undefined =>
  states && (states.has(name) ? states.get(name) : 'unknown');

/** The label begins with the visible words, so that voice control finds it. */
export function spoken(
  { name, device, role, loopback }: TopologyNode,
  state: DrawnState | undefined,
  fault?: string,
): string {
  const seen = [name, fault ?? device].filter(Boolean).join(' ');
  const kind = fault === undefined ? null : device;
  const stateWord = state && stateWords[state];
  const words = [seen, kind, role, loopback?.ipv4, loopback?.ipv6, stateWord];
  return words.filter((word) => word !== null && word !== undefined).join(', ');
}

function deviceBox(
  node: TopologyNode,
  state: DrawnState | undefined,
): Pick<DeviceNode, 'type' | 'data' | 'ariaLabel'> {
  return { type: 'device', data: { node, state }, ariaLabel: spoken(node, state) };
}

/**
 * The same ends of lines as in the view of a box. React Flow measures those, and would draw no line at a box that is drawn again in
 * the meantime. A box with these ends must have its measured size too: without one, React Flow never fits the picture.
 */
const endsIn = ({ width, height }: PlacedBox): NodeHandle[] =>
  (['source', 'target'] as const).map((type) => ({
    type,
    position: Position.Top,
    x: width / 2,
    y: height / 2,
    width: 0,
    height: 0,
  }));

/** Whether it looks the same. */
function isSame(a: BoxNode, b: BoxNode): boolean {
  return (
    a.position.x === b.position.x &&
    a.position.y === b.position.y &&
    a.width === b.width &&
    a.height === b.height &&
    a.ariaLabel === b.ariaLabel
  );
}

/** The boxes of a picture. Unchanged boxes of `before` are the same objects, so that only others are drawn again. */
export function boxesOf(
  { topology, graph, placed }: Placement,
  states: States,
  before: readonly BoxNode[],
): BoxNode[] {
  const known = new Map(before.map((box) => [box.id, box]));
  const networks = soundLinks(topology).filter((link) => !isLine(link));
  return graph.boxes.flatMap(({ id }, index) => {
    const at = placed.boxes[index];
    const node = topology.nodes[index];
    const link = networks[index - topology.nodes.length];
    const old = known.get(id);
    if (at === undefined) return [];
    const common = {
      id,
      // A box that is being dragged stays under the pointer.
      position: old?.dragging === true ? old.position : { x: at.x, y: at.y },
      width: at.width,
      height: at.height,
      // As React Flow measures it, in whole pixels.
      measured: { width: Math.round(at.width), height: Math.round(at.height) },
      handles: endsIn(at),
    };
    const box: BoxNode | undefined = node
      ? { ...common, ...deviceBox(node, stateIn(states, node.name)), ariaRole: 'button' }
      : link && { ...common, type: 'network', data: { link }, ariaLabel: linkWords(link), focusable: false };
    if (box === undefined) return [];
    return old && isSame(old, box) ? old : { ...old, ...box };
  }) as BoxNode[];
}

/** The same boxes with new states. */
export function withStates(boxes: readonly BoxNode[], states: States): BoxNode[] {
  return boxes.map((box) => {
    if (box.type !== 'device') return box;
    const state = stateIn(states, box.data.node.name);
    return state === box.data.state ? box : { ...box, ...deviceBox(box.data.node, state) };
  });
}

/** `link r1-r2`; of a network, its line to one node: `link r1-172.16.0.0/24`. */
export function lineName({ link, nodes }: LineData): string {
  return `link ${[...nodes, ...(isLine(link) ? [] : networkTexts(link))].slice(0, 2).join('-')}`;
}

export function linesOf({ topology, graph, placed }: Placement): LineEdge[] {
  const owners = lineOwners(soundLinks(topology));
  const boxes = new Map(graph.boxes.map(({ id }, index) => [id, placed.boxes[index]]));
  const shifts = shiftsOf(graph.lines);
  const counts = new Map<string, number>();
  return graph.lines.flatMap((line, index) => {
    const [from, to, at] = [boxes.get(line.from), boxes.get(line.to), placed.lines[index]];
    const owner = owners[index];
    if (!from || !to || !at || !owner) return [];
    const nth = counts.get(owner.link.id) ?? 0;
    counts.set(owner.link.id, nth + 1);
    return {
      // The same one while other links come and go.
      id: `${owner.link.id} ${nth}`,
      type: 'line' as const,
      source: line.from,
      target: line.to,
      data: { ...owner, points: at.points, texts: at.texts, shift: shifts[index] ?? 0, from, to },
    };
  });
}
