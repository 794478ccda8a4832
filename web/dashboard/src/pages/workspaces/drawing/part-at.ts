import type { Drawing, Span } from '../../../parts/drawing/drawing.ts';
import { nothingSelected, type Selection } from './selection.ts';

interface Part {
  readonly selection: Selection;
  readonly span: Span;
}

/** The lines of a part, with its comment and its dash. */
function linesOf(text: string, { from, to }: Span): Span {
  const end = text.indexOf('\n', to);
  return { from: text.lastIndexOf('\n', from - 1) + 1, to: end === -1 ? text.length : end };
}

const isIn = (inner: Span, outer: Span): boolean => outer.from <= inner.from && inner.to <= outer.to;

/** The node or link in the text at this place; nothing in a line of several, between them. */
export function partAt({ nodes, links }: Drawing, text: string, place: Span): Selection {
  const parts: readonly Part[] = [
    ...nodes.flatMap(({ name, span }) => (span ? [{ selection: { nodes: [name], links: [] }, span }] : [])),
    ...links.map(({ id, span }) => ({ selection: { nodes: [], links: [id] }, span })),
  ];
  const around = parts.find(({ span }) => isIn(place, span));
  if (around) return around.selection;
  const [beside, another] = parts.filter(({ span }) => isIn(place, linesOf(text, span)));
  return beside && !another ? beside.selection : nothingSelected;
}
