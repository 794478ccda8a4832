import { linkBoxId, nodeBoxId } from '../../../../../../src/labs/picture/graph-of.ts';
import type { Point, Positions } from '../../../../../../src/labs/picture/picture.ts';
import type { Drawing, DrawnLink, Edit } from '../../../parts/drawing/drawing.ts';

/** The links that disappear with the removed parts: a link with one end left does too. */
function isRemoved({ id, ends }: DrawnLink, { nodes, links }: Extract<Edit, { kind: 'remove' }>): boolean {
  const left = ends.filter(({ node }) => !nodes.includes(node)).length;
  return links.includes(id) || (left < ends.length && left < 2);
}

/** The ID without the number among links with the same ends. */
const endsIn = (id: string): string => id.replace(/ \(\d+\)$/, '');

/**
 * The places of links whose IDs come from the names of their nodes, when an edit changes these: networks stay where they are. Of
 * several links with the same ends, the others take the ID of a removed one. Its place goes to the ID that they leave, for the undo.
 */
function placesOfLinks(
  edit: Edit,
  { before, now }: { readonly before: Drawing; readonly now: Drawing },
  given: Positions,
): [string, Point][] {
  const [removed, kept] = [new Set<string>(), [] as DrawnLink[]];
  for (const link of before.links)
    if (edit.kind === 'remove' && isRemoved(link, edit)) removed.add(link.id);
    else kept.push(link);
  if (kept.length !== now.links.length) return [];
  const ids = new Set(now.links.map(({ id }) => id));
  const left = kept.map(({ id }) => id).filter((id) => !ids.has(id));
  const returned = [...removed].flatMap((id) => {
    if (!ids.has(id)) return [];
    const index = left.findIndex((one) => endsIn(one) === endsIn(id));
    return left.splice(index, index === -1 ? 0 : 1).map((one) => [id, one] as const);
  });
  const renamed = kept.flatMap(({ id }, index) => {
    const to = now.links[index]?.id ?? id;
    return to === id ? [] : [[id, to] as const];
  });
  return [...renamed, ...returned].flatMap(([from, to]): [string, Point][] => {
    const at = given[linkBoxId(from)];
    return at ? [[linkBoxId(to), at]] : [];
  });
}

/** The places that boxes with new IDs have from the former ones, after an edit from one drawing to the other. */
export function carriedPlaces(
  edit: Edit,
  drawings: { readonly before: Drawing; readonly now: Drawing },
  given: Positions,
): Map<string, Point> {
  const at = edit.kind === 'rename-node' ? given[nodeBoxId(edit.name)] : undefined;
  const node: [string, Point][] = edit.kind === 'rename-node' && at ? [[nodeBoxId(edit.to), at]] : [];
  return new Map([...node, ...placesOfLinks(edit, drawings, given)]);
}
