/** The selected part of a drawing: names of nodes and IDs of links, networks among them. */
import { nodeBoxId } from '../../../../../../src/labs/picture/graph-of.ts';
import type { Drawing } from '../../../parts/drawing/drawing.ts';

export interface Selection {
  readonly nodes: readonly string[];
  readonly links: readonly string[];
}

export const nothingSelected: Selection = { nodes: [], links: [] };

export const isEmpty = ({ nodes, links }: Selection): boolean => nodes.length + links.length === 0;

export const everythingIn = ({ nodes, links }: Drawing): Selection => ({
  nodes: nodes.map(({ name }) => name),
  links: links.map(({ id }) => id),
});

/** The part that is still in the drawing. */
export function presentIn({ nodes, links }: Drawing, selection: Selection): Selection {
  const [names, ids] = [new Set(nodes.map(({ name }) => name)), new Set(links.map(({ id }) => id))];
  return {
    nodes: selection.nodes.filter((name) => names.has(name)),
    links: selection.links.filter((id) => ids.has(id)),
  };
}

/** The node or the link of a box. */
export function ofBox(id: string): Selection {
  const rest = id.slice(2);
  return id === nodeBoxId(rest) ? { nodes: [rest], links: [] } : { nodes: [], links: [rest] };
}

const withItems = (all: readonly string[], items: readonly string[], isAdded: boolean): readonly string[] => {
  const others = all.filter((item) => !items.includes(item));
  return isAdded ? [...others, ...items] : others;
};

/** The selection with `part` added or taken away. */
export function changedBy(selection: Selection, part: Selection, isAdded: boolean): Selection {
  return {
    nodes: withItems(selection.nodes, part.nodes, isAdded),
    links: withItems(selection.links, part.links, isAdded),
  };
}

const count = (number: number, word: string): string[] =>
  number === 0 ? [] : [`${number} ${word}${number === 1 ? '' : 's'}`];

/** `2 nodes, 1 link`. */
export const selectionWords = ({ nodes, links }: Selection): string =>
  [...count(nodes.length, 'node'), ...count(links.length, 'link')].join(', ');
