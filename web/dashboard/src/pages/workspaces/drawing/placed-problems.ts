/** The nodes and links that the problems of a text are about. */
import { linkBoxId, nodeBoxId } from '../../../../../../src/labs/picture/graph-of.ts';
import type { Drawing, Span } from '../../../parts/drawing/drawing.ts';
import type { Problem } from '../../../parts/topology/topology-check.ts';

export interface PlacedProblem {
  readonly message: string;
  readonly severity: Problem['severity'];
  readonly span: Span;
}

/** Problems with their offsets in the text. */
export function placed(problems: readonly Problem[], text: string): PlacedProblem[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return problems.map(({ line, column, message, severity }) => {
    const from = Math.min((starts[line - 1] ?? text.length) + column - 1, text.length);
    return { message, severity, span: { from, to: from } };
  });
}

const isIn = ({ from }: Span, span: Span | undefined): boolean =>
  span !== undefined && span.from <= from && from <= span.to;

/** Sentences by the IDs of boxes and links. */
export function marksOf(
  { nodes, links }: Drawing,
  problems: readonly PlacedProblem[],
): ReadonlyMap<string, string> {
  const marks = new Map<string, string>();
  for (const { message, span } of problems) {
    const node = nodes.find((one) => isIn(span, one.span));
    const link = links.find((one) => isIn(span, one.span));
    const ids = [...(node ? [nodeBoxId(node.name)] : []), ...(link ? [link.id, linkBoxId(link.id)] : [])];
    for (const id of ids) marks.set(id, marks.has(id) ? `${marks.get(id)}; ${message}` : message);
  }
  return marks;
}
