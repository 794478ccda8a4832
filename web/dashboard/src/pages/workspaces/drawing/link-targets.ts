/** The ends that a new link may have. */
import { linkBoxId, nodeBoxId } from '../../../../../../src/labs/picture/graph-of.ts';
import type { DrawnLink, Drawing, Edit } from '../../../parts/drawing/drawing.ts';

export type LinkTarget =
  | { readonly kind: 'node'; readonly name: string }
  | { readonly kind: 'link'; readonly link: DrawnLink }
  /** A link of the nodes themselves. */
  | { readonly kind: 'each-other' };

const endNames = ({ ends }: DrawnLink): string[] => [...new Set(ends.map(({ node }) => node))];

/** `r1–r2`, of all its nodes. */
export const linkText = (link: DrawnLink): string => endNames(link).join('–');

/** Links of containerlab have two ends: nodes cannot join one. */
const mayJoin = ({ format }: Drawing, { ends, bridge }: DrawnLink, nodes: readonly string[]): boolean =>
  format !== 'containerlab' &&
  !nodes.some((name) => name === bridge || ends.some(({ node }) => node === name));

/** The target with the ID of a box or a link; undefined if these nodes cannot be linked to it. */
export function targetOf(drawing: Drawing, id: string, nodes: readonly string[]): LinkTarget | undefined {
  const node = drawing.nodes.find(({ name }) => nodeBoxId(name) === id);
  if (node) return nodes.includes(node.name) ? undefined : { kind: 'node', name: node.name };
  const link = drawing.links.find((one) => one.id === id || linkBoxId(one.id) === id);
  return link && mayJoin(drawing, link, nodes) ? { kind: 'link', link } : undefined;
}

export function editFor(nodes: readonly string[], target: LinkTarget): Edit {
  if (target.kind === 'link') return { kind: 'add-ends', link: target.link.id, nodes };
  const links = target.kind === 'node' ? nodes.map((node) => [node, target.name]) : [nodes];
  return { kind: 'add-links', links, attributes: {} };
}

/** The result of a link in words: `r1–r2`, or `r1 joins r2–r3`. */
export function targetWords(nodes: readonly string[], target: LinkTarget): string {
  const names = nodes.join(', ');
  if (target.kind === 'each-other') return nodes.join('–');
  if (target.kind === 'node') return `${names}–${target.name}`;
  const { link } = target;
  const joined = `${names} ${nodes.length === 1 ? 'joins' : 'join'} ${linkText(link)}`;
  return link.ends.length === 2 ? `${joined} as a network` : joined;
}

interface Choice {
  readonly id: string;
  readonly label: string;
  readonly target: LinkTarget;
}

/** All targets for these nodes, by groups of a list. */
export function linkChoices(drawing: Drawing, nodes: readonly string[]): Map<string, Choice[]> {
  const toNodes = drawing.nodes
    .filter(({ name }) => !nodes.includes(name))
    .map(({ name }): Choice => ({ id: nodeBoxId(name), label: name, target: { kind: 'node', name } }));
  const toLinks = drawing.links
    .filter((link) => mayJoin(drawing, link, nodes))
    .map((link): Choice => ({
      id: linkBoxId(link.id),
      label: linkText(link),
      target: { kind: 'link', link },
    }));
  const isPossible = nodes.length === 2 || (nodes.length > 2 && drawing.format !== 'containerlab');
  const eachOther: Choice = {
    id: 'each-other',
    label: nodes.length === 2 ? nodes.join('–') : `One network of all ${nodes.length}`,
    target: { kind: 'each-other' },
  };
  const groups: [string, Choice[]][] = [
    ['Each other', isPossible ? [eachOther] : []],
    ['Nodes', toNodes],
    ['Links and networks', toLinks],
  ];
  return new Map(groups.filter(([, choices]) => choices.length > 0));
}
