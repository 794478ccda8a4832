/** Finds the links of a netlab topology and their ends, in all notations. */
import { isAttribute } from '../../../../../src/engine/topology/attributes.ts';
import { isMapping, type Mapping, type Source } from '../../../../../src/engine/topology/source.ts';

/** Keys of maps and indexes of lists. */
type Path = readonly (string | number)[];

export interface LinkEnd {
  /** The name that stands for a node. */
  readonly name: string;
  /** The position in the text. */
  readonly at: number | string;
  /** Whether it is the key of a map, where attributes are keys too. */
  readonly isKey: boolean;
  /** Its place; in a link such as `a-b`, the link. */
  readonly path: Path;
  readonly attributes: Mapping;
}

export interface FoundLink {
  readonly path: Path;
  /** `a-b`, `[a, b]`, a map with `interfaces`, or a map with nodes as keys. */
  readonly form: 'text' | 'list' | 'interfaces' | 'keys';
  readonly ends: readonly LinkEnd[];
  readonly attributes: Mapping;
  /** The attributes of its group, or of the link with the LAG. */
  readonly inherited: Mapping;
}

type Names = ReadonlySet<string>;

export interface LinksContext {
  readonly source: Source;
  readonly names: Names;
}

/** `a-b-c`: every hyphen separates two nodes, unless a node name contains hyphens. */
function namesIn(text: string, names: Names): string[] {
  const parts = text.split('-').map((part) => part.trim());
  const found: string[] = [];
  for (let start = 0; start < parts.length;) {
    let end = parts.length;
    while (end > start + 1 && !names.has(parts.slice(start, end).join('-'))) end -= 1;
    found.push(parts.slice(start, end).join('-'));
    start = end;
  }
  return found;
}

function without(map: Mapping, keys: Names): Mapping {
  return Object.fromEntries(Object.entries(map).filter(([key]) => !keys.has(key)));
}

const nodeKey = new Set(['node']);

function endsOfList(list: readonly unknown[], path: Path, { source }: LinksContext): LinkEnd[] {
  return list.flatMap((item, index): LinkEnd[] => {
    const own = [...path, index];
    const name = isMapping(item) ? item['node'] : item;
    if (typeof name !== 'string') return [];
    const [at, attributes] = isMapping(item)
      ? [source.valueAt(item, 'node'), without(item, nodeKey)]
      : [source.valueAt(list, index), {}];
    return [{ name, at, isKey: false, path: own, attributes }];
  });
}

function linkOfMap(map: Mapping, path: Path, context: LinksContext): FoundLink {
  const { source, names } = context;
  const { interfaces } = map;
  if (Array.isArray(interfaces)) {
    const ends = endsOfList(interfaces as unknown[], [...path, 'interfaces'], context);
    return {
      path,
      form: 'interfaces',
      ends,
      attributes: without(map, new Set(['interfaces'])),
      inherited: {},
    };
  }
  const keys = Object.keys(map).filter(
    (key) => names.has(key) || (!key.startsWith('_') && !isAttribute('link', key) && key !== 'interfaces'),
  );
  const ends = keys.map((name): LinkEnd => {
    const value = map[name];
    const attributes = isMapping(value) ? value : {};
    return { name, at: source.keyAt(map, name), isKey: true, path: [...path, name], attributes };
  });
  return { path, form: 'keys', ends, attributes: without(map, new Set(keys)), inherited: {} };
}

function linkOf(link: unknown, path: Path, at: number | string, context: LinksContext): FoundLink[] {
  if (typeof link === 'string') {
    const ends = namesIn(link, context.names).map((name) => ({
      name,
      at,
      isKey: false,
      path,
      attributes: {},
    }));
    return [{ path, form: 'text', ends, attributes: {}, inherited: {} }];
  }
  if (Array.isArray(link))
    return [
      {
        path,
        form: 'list',
        ends: endsOfList(link as unknown[], path, context),
        attributes: {},
        inherited: {},
      },
    ];
  if (!isMapping(link)) return [];
  // A group of links, and the links of a LAG.
  const { members, lag } = link;
  const inherit = (one: FoundLink): FoundLink => ({ ...one, inherited: link });
  if (Array.isArray(members)) return linksOf(members, [...path, 'members'], context).map(inherit);
  if (isMapping(lag) && Array.isArray(lag['members']))
    return linksOf(lag['members'], [...path, 'lag', 'members'], context).map(inherit);
  return [linkOfMap(link, path, context)];
}

/** `links` is a list of links, one link as text, or a map of these, in which maps are groups again (netsim/augment/links.py). */
export function linksOf(links: unknown, path: Path, context: LinksContext): FoundLink[] {
  const { source } = context;
  if (typeof links === 'string') return linkOf(links, path, source.valueAt(source.root, 'links'), context);
  if (Array.isArray(links))
    return (links as unknown[]).flatMap((link, index) =>
      linkOf(link, [...path, index], source.valueAt(links, index), context),
    );
  if (!isMapping(links)) return [];
  return Object.entries(links).flatMap(([key, group]) => {
    const own = [...path, key];
    return typeof group === 'string'
      ? linkOf(group, own, source.valueAt(links, key), context)
      : linksOf(group, own, context);
  });
}
