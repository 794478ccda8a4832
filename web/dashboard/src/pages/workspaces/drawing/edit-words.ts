/** Edits of a drawing in words, for screen readers and for Undo: `link r1–r2 added`. */
import type { Drawing, Edit, Keys } from '../../../parts/drawing/drawing.ts';
import { linkText } from './link-targets.ts';
import { selectionWords, type Selection } from './selection.ts';

const linkWords = ({ links }: Drawing, id: string): string => {
  const link = links.find((one) => one.id === id);
  return `link ${link ? linkText(link) : id}`;
};

/** `node r1`, `link r1–r2`, `2 nodes, 1 link`. */
export function partWords(drawing: Drawing, part: Selection): string {
  const { nodes, links } = part;
  if (nodes.length + links.length !== 1) return selectionWords(part);
  return links[0] === undefined ? `node ${nodes[0]}` : linkWords(drawing, links[0]);
}

const valueWords = ({ keys, value }: { readonly keys: Keys; readonly value: unknown }, of: string): string =>
  `${keys.join('.')} of ${of} ${value === undefined ? 'removed' : 'changed'}`;

export function editWords(edit: Edit, drawing: Drawing): string {
  switch (edit.kind) {
    case 'add-node':
      return `node ${edit.name} added`;
    case 'copy-nodes': {
      const [[from, to] = []] = edit.copies;
      return edit.copies.size === 1 ? `node ${from} copied as ${to}` : `${edit.copies.size} nodes copied`;
    }
    case 'rename-node':
      return `node ${edit.name} renamed to ${edit.to}`;
    case 'remove':
      return `${partWords(drawing, edit)} removed`;
    case 'add-links': {
      const [first, ...others] = edit.links;
      return others.length > 0 ? `${edit.links.length} links added` : `link ${first?.join('–')} added`;
    }
    case 'add-ends':
      return `${partWords(drawing, { nodes: edit.nodes, links: [] })} added to ${linkWords(drawing, edit.link)}`;
    case 'set-group':
      return `members of group ${edit.group} changed`;
    case 'set-node':
      return valueWords(edit, `node ${edit.node}`);
    case 'set-nodes':
      return valueWords(edit, partWords(drawing, { nodes: edit.nodes, links: [] }));
    case 'set-link':
    case 'set-end':
      return valueWords(edit, linkWords(drawing, edit.link));
  }
}
