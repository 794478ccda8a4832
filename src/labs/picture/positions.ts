/** The layout of a lab as positions of the boxes of its picture. */
import { linkBoxId, nodeBoxId } from './graph-of.ts';
import type { Point, Positions } from './picture.ts';

interface Layout {
  readonly nodes: Readonly<Record<string, Point>>;
  readonly links: Readonly<Record<string, Point>>;
}

/** A link with its key in a layout. */
export interface KeyedLink {
  /** As in the id of its box. */
  readonly id: string;
  readonly key: string;
  /** The key that it has in layouts that are older than these keys. */
  readonly formerKey: string | undefined;
}

/** Keys in a layout have a limit; the names of a large network are longer. */
const namesLength = 180;

/**
 * The names of the nodes of each link, in alphabetical order, with commas between them. These stay while other links come and go, unlike
 * ids. Links with the same nodes are numbered: `h1,h2,h3`, `h1,h2,h3 (2)`.
 */
export function layoutKeys(
  links: readonly { readonly endpoints: readonly { readonly node: string }[] }[],
): string[] {
  const counts = new Map<string, number>();
  return links.map(({ endpoints }) => {
    const names = endpoints.map(({ node }) => node).toSorted();
    const joined = names.join(',').slice(0, namesLength);
    const count = (counts.get(joined) ?? 0) + 1;
    counts.set(joined, count);
    return count === 1 ? joined : `${joined} (${count})`;
  });
}

/** The links of a lab, whose layout may also have their ids. */
export function keyedLinks(
  links: readonly { readonly id: string; readonly endpoints: readonly { readonly node: string }[] }[],
): KeyedLink[] {
  const keys = layoutKeys(links);
  return links.map(({ id }, index) => ({ id, key: keys[index] ?? id, formerKey: id }));
}

export function positionsOf({ nodes, links }: Layout, known: readonly KeyedLink[]): Positions {
  const saved = new Map(Object.entries(links));
  const keys = new Set(known.map(({ key }) => key));
  // A node can be called like the id of a link.
  const formerOf = ({ formerKey }: KeyedLink): string =>
    formerKey === undefined || keys.has(formerKey) ? '' : formerKey;
  return Object.fromEntries([
    ...Object.entries(nodes).map(([name, at]) => [nodeBoxId(name), at] as const),
    ...known.flatMap((link) => {
      const at = saved.get(link.key) ?? saved.get(formerOf(link));
      return at ? [[linkBoxId(link.id), at] as const] : [];
    }),
  ]);
}
