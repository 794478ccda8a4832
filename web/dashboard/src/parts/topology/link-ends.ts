/** Finds the ends of the links of a topology, in all notations. */
import { isAttribute } from '../../../../../src/engine/topology/attributes.ts';
import { isMapping, type Source } from '../../../../../src/engine/topology/source.ts';

export interface LinkEnd {
  /** The name that stands for a node. */
  readonly name: string;
  /** The position in the text. */
  readonly at: number | string;
  /** Whether it is the key of a map, where attributes are keys too. */
  readonly isKey: boolean;
}

type Names = ReadonlySet<string>;

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

function endsOfList(source: Source, list: readonly unknown[], names: Names): LinkEnd[] {
  return list.flatMap((item, index): LinkEnd[] => {
    const at = source.valueAt(list, index);
    if (typeof item === 'string') return [{ name: item, at, isKey: false }];
    if (!isMapping(item)) return [];
    const { node } = item;
    return typeof node === 'string'
      ? [{ name: node, at: source.valueAt(item, 'node'), isKey: false }]
      : endsOfMap(source, item, names);
  });
}

function endsOfMap(source: Source, map: Readonly<Record<string, unknown>>, names: Names): LinkEnd[] {
  const { interfaces, members } = map;
  if (Array.isArray(interfaces)) return endsOfList(source, interfaces as unknown[], names);
  if (Array.isArray(members)) return linkEnds(source, members, names);
  return Object.keys(map)
    .filter(
      (key) => !key.startsWith('_') && !(isAttribute('link', key) && !names.has(key)) && key !== 'interfaces',
    )
    .map((key) => ({ name: key, at: source.keyAt(map, key), isKey: true }));
}

/** `links` is the list or the map of links of a topology. */
export function linkEnds(source: Source, links: unknown, names: Names): LinkEnd[] {
  if (typeof links !== 'object' || links === null) return [];
  const keys = Array.isArray(links) ? [...links.keys()] : Object.keys(links);
  return keys.flatMap((key): LinkEnd[] => {
    const link: unknown = (links as Record<string | number, unknown>)[key];
    const at = source.valueAt(links, key);
    if (typeof link === 'string') return namesIn(link, names).map((name) => ({ name, at, isKey: false }));
    if (Array.isArray(link)) return endsOfList(source, link as unknown[], names);
    return isMapping(link) ? endsOfMap(source, link, names) : [];
  });
}
