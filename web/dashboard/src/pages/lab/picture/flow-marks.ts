/** Faults and traffic in the picture of a running lab. */
import type { Fault } from '../../../../../../src/client/api-types.ts';
import { rateOf, type LinkRates } from '../../../../../../src/client/link-rates.ts';
import { faultAt, faultOfNode, shortFaultWords } from '../../../../../../src/labs/picture/words.ts';
import { lineName, spoken, type BoxNode, type LineEdge } from '../../../parts/picture/flow-graph.ts';
import { lineTraffic } from './traffic.ts';

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
