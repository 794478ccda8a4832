/** Nodes and edges for React Flow. Positions are the centres of boxes. */
import type { Edge, Node } from '@xyflow/react';
import type { Fault } from '../../../../../../src/client/api-types.ts';
import { rateOf, type LinkRates } from '../../../../../../src/client/link-rates.ts';
import type { TopologyLink, TopologyNode } from '../../../../../../src/labs/drivers/topology.ts';
import { isLine, lineOwners, networkTexts, soundLinks } from '../../../../../../src/labs/picture/graph-of.ts';
import type { PlacedText, Point } from '../../../../../../src/labs/picture/picture.ts';
import { shiftsOf, type PlacedBox } from '../../../../../../src/labs/picture/place.ts';
import {
  faultAt,
  faultOfNode,
  linkWords,
  shortFaultWords,
  stateWords,
  type DrawnState,
} from '../../../../../../src/labs/picture/words.ts';
import { lineTraffic, type LineTraffic } from './traffic.ts';
import type { Placement } from './use-placed.ts';

interface DeviceData extends Record<string, unknown> {
  readonly node: TopologyNode;
  readonly state: DrawnState;
  /** The fault of the node in words. */
  readonly fault?: string;
}
export type DeviceNode = Node<DeviceData, 'device'>;
export type NetworkNode = Node<{ readonly link: TopologyLink }, 'network'>;
export type BoxNode = DeviceNode | NetworkNode;

interface LineData extends Record<string, unknown> {
  readonly link: TopologyLink;
  /** The nodes that it joins here; of a network, one. */
  readonly nodes: readonly string[];
  readonly points: readonly Point[];
  readonly texts: readonly PlacedText[];
  /** Absent when it is unknown, or not wanted. */
  readonly traffic?: LineTraffic;
  readonly shift: number;
  /** The boxes at the time of the layout: once one of them has moved, the line is straight. */
  readonly from: PlacedBox;
  readonly to: PlacedBox;
}
export type LineEdge = Edge<LineData, 'line'>;

export type States = ReadonlyMap<string, DrawnState>;

const stateIn = (states: States, name: string): DrawnState => states.get(name) ?? 'unknown';

/** The label begins with the visible words, so that voice control finds it. */
function spoken({ name, device, role, loopback }: TopologyNode, state: DrawnState, fault?: string): string {
  const seen = [name, fault ?? device].filter(Boolean).join(' ');
  const kind = fault === undefined ? null : device;
  const words = [seen, kind, role, loopback?.ipv4 ?? null, loopback?.ipv6 ?? null, stateWords[state]];
  return words.filter((word) => word !== null).join(', ');
}

function deviceBox(node: TopologyNode, state: DrawnState): Pick<DeviceNode, 'type' | 'data' | 'ariaLabel'> {
  return { type: 'device', data: { node, state }, ariaLabel: spoken(node, state) };
}

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

/** The same boxes with the faults of nodes. */
export function withFaults(boxes: readonly BoxNode[], faults: readonly Fault[]): BoxNode[] {
  return boxes.map((box) => {
    const known = box.type === 'device' ? faultOfNode(faults, box.data.node.name) : undefined;
    if (box.type !== 'device' || !known) return box;
    const fault = shortFaultWords(known);
    const { node, state } = box.data;
    return { ...box, data: { node, state, fault }, ariaLabel: spoken(node, state, fault) };
  });
}

/** `link r1-r2`; of a network, its line to one node: `link r1-172.16.0.0/24`. */
function lineName({ link, nodes }: LineData): string {
  return `link ${[...nodes, ...(isLine(link) ? [] : networkTexts(link))].slice(0, 2).join('-')}`;
}

/** The same lines with the traffic of their links; a line from a network to a node, with that of its end. They have no addresses. */
export function withTraffic(lines: readonly LineEdge[], rates: LinkRates | undefined): readonly LineEdge[] {
  if (rates === undefined) return lines;
  return lines.map((line) => {
    if (!line.data) return line;
    const { link, nodes } = line.data;
    const rate = rateOf(rates.get(link.id) ?? [], nodes.length === 1 ? nodes[0] : undefined);
    if (!rate) return line;
    // With the addresses, there is no room.
    const texts = line.data.texts.map((text) => ({ ...text, below: [] }));
    return { ...line, data: { ...line.data, texts, traffic: lineTraffic(rate) } };
  });
}

/** The same lines with the faults that break them. With `isButton`, users can reach and press them with the keyboard. */
export function brokenBy(
  lines: readonly LineEdge[],
  faults: readonly Fault[],
  isButton: boolean,
): LineEdge[] {
  return lines.map((line) => {
    const { data } = line;
    if (!data) return line;
    const fault = faultAt(faults, data.link, data.nodes);
    // A node that is isolated has all its links down.
    const state = fault && (fault.kind === 'isolated' ? 'down' : fault.kind);
    // It ends with the visible words, so that voice control finds it.
    const ends = data.texts.map(({ above, below }) => [above, ...below].join(' '));
    return {
      ...line,
      ...(fault ? { className: 'broken' } : data.traffic?.isLossy && { className: 'lossy' }),
      ariaLabel: [lineName(data), state, ...ends, data.traffic?.words].filter(Boolean).join(', '),
      ...(isButton && { ariaRole: 'button' as const, domAttributes: { 'aria-roledescription': undefined } }),
    };
  });
}

export function linesOf({ topology, graph, placed }: Placement): LineEdge[] {
  const owners = lineOwners(soundLinks(topology));
  const boxes = new Map(graph.boxes.map(({ id }, index) => [id, placed.boxes[index]]));
  const shifts = shiftsOf(graph.lines);
  return graph.lines.flatMap((line, index) => {
    const [from, to, at] = [boxes.get(line.from), boxes.get(line.to), placed.lines[index]];
    const owner = owners[index];
    if (!from || !to || !at || !owner) return [];
    return {
      id: `${owner.link.id} ${index}`,
      type: 'line' as const,
      source: line.from,
      target: line.to,
      data: { ...owner, points: at.points, texts: at.texts, shift: shifts[index] ?? 0, from, to },
    };
  });
}
