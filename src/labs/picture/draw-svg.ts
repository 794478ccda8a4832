/** Draws a laid out topology as one SVG file: no script, nothing from elsewhere, all text escaped. */
import { targetWords, type Fault } from '../model/fault.ts';
import { escapeXml } from '../../lib/text/escape-xml.ts';
import type { LabTopology, TopologyLink, TopologyNode } from '../drivers/topology.ts';
import { isLine, lineOwners, networkTexts, soundLinks } from './graph-of.ts';
import type { Placed, PlacedLine, PlacedText, Point, Size } from './picture.ts';
import { octagonPoints, pathOf, tenths } from './outlines.ts';
import { svgStyle } from './svg-style.ts';
import { labelLineHeight } from './text-size.ts';
import { faultAt, faultWords, linkWords, nodeWords, stateWords, type DrawnState } from './words.ts';

export interface Drawing {
  /** The title of the picture. */
  readonly name: string;
  readonly topology: LabTopology;
  readonly placed: Placed;
  /** The state of each node, by its name; undefined for a picture that tells none. */
  readonly states: ReadonlyMap<string, DrawnState> | undefined;
  /** Links and nodes that are broken on purpose. */
  readonly faults: readonly Fault[];
}

type PlacedBox = Point & Size;

const legendHeight = 26;
const roles = ['router', 'host', 'bridge'];

function rectangle({ x, y, width, height }: PlacedBox, radius: number): string {
  const [left, top] = [tenths(x - width / 2), tenths(y - height / 2)];
  return `<rect class="shape" x="${left}" y="${top}" width="${tenths(width)}" height="${tenths(height)}" rx="${radius}"/>`;
}

function octagon(box: PlacedBox): string {
  return `<polygon class="shape" points="${octagonPoints(box)}"/>`;
}

/** Tells roles apart without colour: a router has round ends, a host corners, a bridge cut ones. */
function shapeOf(role: string | null, box: PlacedBox): string {
  if (role === 'router') return rectangle(box, 23);
  if (role === 'bridge') return octagon(box);
  return rectangle(box, role === 'host' ? 3 : 12);
}

/** A tick in a disc, the hands of a clock in a ring, a cross in a square, a question in a ring: also for those who see no colours. */
const marks: Readonly<Record<DrawnState, string>> = {
  up: '<circle class="mark up" r="8"/><path class="sign" d="M-3.4 0.2L-0.9 2.8L3.6-2.6"/>',
  late: '<circle class="mark late" r="7.5"/><path class="sign late" d="M0-4V0L3 1.8"/>',
  down: '<rect class="mark down" x="-8" y="-8" width="16" height="16" rx="3"/><path class="sign" d="M-3-3L3 3M3-3L-3 3"/>',
  unknown:
    '<circle class="mark unknown" r="7"/><path class="sign unknown" d="M-2.2-1.6A2.2 2.2 0 1 1 0 0.9M0 3.4V3.5"/>',
};

function markOf(state: DrawnState, { x, y }: Point): string {
  return `<g transform="translate(${tenths(x)} ${tenths(y)})">${marks[state]}</g>`;
}

function textAt(at: Point, className: string, words: string): string {
  return `<text class="${className}" x="${tenths(at.x)}" y="${tenths(at.y)}">${escapeXml(words)}</text>`;
}

function drawNode(
  node: TopologyNode,
  box: PlacedBox,
  { state, fault }: { readonly state: DrawnState | undefined; readonly fault: Fault | undefined },
): string {
  const { name, device, role } = node;
  const classes = ['node', roles.includes(role ?? '') ? role : 'other', state, fault && 'fault']
    .filter(Boolean)
    .join(' ');
  const { x, y, width, height } = box;
  const corner = { x: x + width / 2 - 6, y: y - height / 2 + 2 };
  return [
    `<g class="${classes}"><title>${escapeXml(titleOf(nodeWords(node, state && stateWords[state]), fault))}</title>`,
    shapeOf(role, box),
    textAt({ x, y: device === null ? y + 4.5 : y - 1.5 }, 'name', name),
    device === null ? '' : textAt({ x, y: y + 12.5 }, 'device', device),
    state === undefined ? '' : markOf(state, corner),
    '</g>',
  ].join('');
}

function drawNetwork(link: TopologyLink, box: PlacedBox, fault: Fault | undefined): string {
  const texts = networkTexts(link);
  const first = box.y - ((texts.length - 1) * labelLineHeight) / 2 + 3.3;
  const lines = texts.map((words, index) => {
    return `<text x="${tenths(box.x)}" y="${tenths(first + index * labelLineHeight)}">${escapeXml(words)}</text>`;
  });
  const radius = Math.min(box.height / 2, 11);
  return `<g class="net${fault ? ' fault' : ''}"><title>${escapeXml(titleOf(linkWords(link), fault))}</title>${rectangle(box, radius)}${lines.join('')}</g>`;
}

function drawLine({ points }: PlacedLine, link: TopologyLink, fault: Fault | undefined): string {
  return `<path class="link${fault ? ' fault' : ''}" d="${pathOf(points)}"><title>${escapeXml(titleOf(linkWords(link), fault))}</title></path>`;
}

function titleOf(words: string, fault: Fault | undefined): string {
  return fault ? `${words}\n${faultWords(fault)}` : words;
}

function drawText({ at, angle, above, below }: PlacedText): string {
  const lines = below.map(
    (words, index) =>
      `<tspan x="0" y="${tenths((index + 1) * labelLineHeight - 1.5)}">${escapeXml(words)}</tspan>`,
  );
  const turn = `transform="translate(${tenths(at.x)} ${tenths(at.y)}) rotate(${tenths(angle)})"`;
  return `<text class="end" ${turn}><tspan class="if" y="-3.5" x="0">${escapeXml(above)}</tspan>${lines.join('')}</text>`;
}

function count(list: readonly unknown[], one: string): string {
  return `${list.length} ${one}${list.length === 1 ? '' : 's'}`;
}

function stateCounts(states: ReadonlyMap<string, DrawnState>, nodes: readonly TopologyNode[]) {
  const all = nodes.map(({ name }) => states.get(name) ?? 'unknown');
  const shown = (['up', 'late', 'down', 'unknown'] as const).map((state) => {
    return { state, count: all.filter((one) => one === state).length };
  });
  return shown.filter((one) => one.count > 0);
}

function drawLegend(counts: ReturnType<typeof stateCounts>, faults: number, height: number): string {
  const placeOf = (index: number): Point => ({ x: 32 + index * 100, y: height - 16 });
  const words = (at: Point, text: string): string =>
    `<text class="legend" x="${at.x + 14}" y="${at.y + 4}">${text}</text>`;
  const states = counts.map(({ state, count: many }, index) => {
    const at = placeOf(index);
    return `${markOf(state, at)}${words(at, `${many} ${stateWords[state]}`)}`;
  });
  if (faults === 0) return states.join('');
  const at = placeOf(counts.length);
  const line = `<path class="link fault" d="M${at.x - 10} ${at.y}h20"/>`;
  return `${states.join('')}${line}${words(at, `${faults} ${faults === 1 ? 'fault' : 'faults'}`)}`;
}

/** For those who hear the picture. */
function describe(
  topology: LabTopology,
  counts: ReturnType<typeof stateCounts>,
  faults: readonly Fault[],
): string {
  const states = counts.map(({ state, count: many }) => `${many} ${stateWords[state]}`);
  const named = [...new Set(topology.nodes.map(({ role }) => role))];
  const byRole = named.map((role) => {
    const nodes = topology.nodes.filter((node) => node.role === role).map(({ name }) => name);
    return `${role ?? 'node'}: ${nodes.slice(0, 20).join(', ')}${nodes.length > 20 ? ', …' : ''}`;
  });
  const broken = faults.slice(0, 20).map((fault) => `${targetWords(fault)}: ${faultWords(fault)}`);
  return [...byRole, ...(states.length > 0 ? [states.join(', ')] : []), ...broken].join('; ');
}

/** Which boxes and lines of the layout belong to what of the topology: they stand in the order of `graphOf`. */
function drawAll({ topology, placed, states, faults }: Drawing): {
  lines: string[];
  boxes: string[];
  texts: string[];
} {
  const links = soundLinks(topology);
  const networks = links.filter((link) => !isLine(link));
  const owners = lineOwners(links);
  const boxes = placed.boxes.map((box, index) => {
    const node = topology.nodes[index];
    const network = networks[index - topology.nodes.length];
    if (node) {
      const fault = faults.find((one) => one.link === null && one.node === node.name);
      return drawNode(node, box, { state: states && (states.get(node.name) ?? 'unknown'), fault });
    }
    return network ? drawNetwork(network, box, faultAt(faults, network, [])) : '';
  });
  const lines = placed.lines.map((line, index) => {
    const owner = owners[index];
    return owner ? drawLine(line, owner.link, faultAt(faults, owner.link, owner.nodes)) : '';
  });
  return { lines, boxes, texts: placed.lines.flatMap(({ texts }) => texts.map(drawText)) };
}

export function drawSvg(drawing: Drawing): string {
  const { name, topology, placed, states, faults } = drawing;
  const counts = states ? stateCounts(states, topology.nodes) : [];
  const legendWidth = faults.length > 0 ? (counts.length + 1) * 100 + 40 : 0;
  const width = Math.ceil(Math.max(placed.width, states ? 340 : 120, legendWidth));
  const height = Math.ceil(placed.height) + (counts.length > 0 ? legendHeight : 0);
  const title = `${name}: ${count(topology.nodes, 'node')}, ${count(topology.links, 'link')}`;
  const { lines, boxes, texts } = drawAll(drawing);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title desc">`,
    `<title id="title">${escapeXml(title)}</title>`,
    `<desc id="desc">${escapeXml(describe(topology, counts, faults))}</desc>`,
    `<style>${svgStyle}</style>`,
    `<rect class="page" width="${width}" height="${height}"/>`,
    ...lines,
    ...texts,
    ...boxes,
    drawLegend(counts, faults.length, height),
    '</svg>',
    '',
  ].join('\n');
}
