/** The operations that change links, in each notation. */
import type { Mapping } from '../../../../../src/engine/topology/source.ts';
import type { Edit } from './drawing.ts';
import { nextPort } from './next-port.ts';
import type { ReadEnd, ReadLink, ReadTopology } from './read-topology.ts';
import { RefusedEdit, type Operation } from './operation.ts';
import { nested, type Path, type YamlText } from './yaml-text.ts';

type EditOf<K extends Edit['kind']> = Extract<Edit, { kind: K }>;

/** netlab divides a link such as `a-b` at every hyphen. */
const isTextual = (names: readonly string[]): boolean =>
  names.length > 1 && names.every((name) => !name.includes('-'));

const twoEnds = 'a link of containerlab has two ends: add a node of kind bridge, and link the others to it';

type Ends = readonly (readonly [string, Mapping | null])[];

/** A map with nodes as keys; with a node twice, a list of ends. */
function asMap(ends: Ends, attributes: Mapping): Mapping {
  const isUnique = new Set(ends.map(([name]) => name)).size === ends.length;
  if (isUnique) return { ...Object.fromEntries(ends), ...attributes };
  const interfaces = ends.map(([node, own]) => (own === null ? node : { node, ...own }));
  return { interfaces, ...attributes };
}

/** A link that is text may stand below a name, where a map would be a group of links: it becomes a list of one link. */
const replaced = (path: Path, value: unknown): Operation => ({
  kind: 'put',
  path,
  value: typeof value !== 'string' && typeof path.at(-1) === 'string' ? [value] : value,
});

const bare = (names: readonly string[]): [string, null][] => names.map((name) => [name, null]);

function asValue(ends: Ends, attributes: Mapping): unknown {
  const names = ends.map(([name]) => name);
  const isBare = Object.keys(attributes).length === 0 && ends.every(([, own]) => own === null);
  return isBare && isTextual(names) ? names.join('-') : asMap(ends, attributes);
}

/** The values of new links. */
export function newLinks(
  { links, attributes }: EditOf<'add-links'>,
  { yaml, topology }: { readonly yaml: YamlText; readonly topology: ReadTopology },
): unknown[] {
  if (yaml.format === 'netlab') return links.map((nodes) => asValue(bare(nodes), attributes));
  if (links.some(({ length }) => length !== 2)) throw new RefusedEdit(twoEnds);
  const used = topology.links.flatMap(({ ends }) => ends.map((end) => `${end.name}:${end.interface ?? ''}`));
  return links.map((nodes) => {
    const endpoints = nodes.map((name) => {
      const end = `${name}:${nextPort(name, used, topology)}`;
      used.push(end);
      return end;
    });
    return { endpoints, ...attributes };
  });
}

const addresses = new Set(['prefix', 'name', 'linkname', 'linkindex']);
const endAddresses = new Set(['ipv4', 'ipv6', 'mac', 'ifindex']);

const without = (map: Mapping, keys: ReadonlySet<string>): Mapping =>
  Object.fromEntries(Object.entries(map).filter(([key]) => !keys.has(key)));

const orNull = (map: Mapping): Mapping | null => (Object.keys(map).length === 0 ? null : map);

/** The link between the copies of its nodes, without the addresses that only one link can have. */
export function copiedLink(
  { form, written, attributes, bridge }: ReadLink,
  copies: ReadonlyMap<string, string>,
): unknown {
  const ends = written.map(({ name, ...end }): ReadEnd => ({
    ...end,
    name: copies.get(name) ?? name,
    attributes: without(end.attributes, endAddresses),
  }));
  const copiedBridge = copies.get(bridge ?? '');
  const own = {
    ...without(attributes, addresses),
    ...(copiedBridge !== undefined && 'bridge' in attributes && { bridge: copiedBridge }),
  };
  if (form !== 'endpoints')
    return asValue(
      ends.map((end) => [end.name, orNull(end.attributes)]),
      own,
    );
  const endpoints = ends.map(({ name, interface: port, attributes: others }) =>
    orNull(others) ? { node: name, interface: port, ...others } : `${name}:${port ?? ''}`,
  );
  return { endpoints, ...own };
}

export function renamedEnds(
  { form, path, names, ends, attributes }: Omit<ReadLink, 'id'>,
  { name, to }: { readonly name: string; readonly to: string },
  yaml: YamlText,
): Operation[] {
  const renamed = names.map((one) => (one === name ? to : one));
  if (form === 'text') return [replaced(path, asValue(bare(renamed), attributes))];
  return ends
    .filter((end) => end.name === name)
    .map((end): Operation => {
      if (form === 'keys') return { kind: 'rename', path: end.path, to };
      if (typeof yaml.valueAt(end.path) !== 'string')
        return { kind: 'put', path: [...end.path, 'node'], value: to };
      return {
        kind: 'put',
        path: end.path,
        value: form === 'endpoints' ? `${to}:${end.interface ?? ''}` : to,
      };
    });
}

/** Removes the ends at nodes that are removed; a link that then joins nothing is removed whole. */
export function withoutEnds(
  { form, path, names, ends }: Omit<ReadLink, 'id'>,
  gone: ReadonlySet<string>,
): Operation[] {
  const left = names.filter((name) => !gone.has(name));
  if (left.length === names.length) return [];
  if (left.length < 2 || form === 'endpoints') return [{ kind: 'remove', path }];
  if (form === 'text') return [replaced(path, asValue(bare(left), {}))];
  return ends.filter(({ name }) => gone.has(name)).map((end) => ({ kind: 'remove', path: end.path }));
}

export function addedEnds(
  { form, path, names, id }: ReadLink,
  nodes: readonly string[],
  yaml: YamlText,
): Operation[] {
  if (form === 'endpoints') throw new RefusedEdit(twoEnds);
  const all = [...names, ...nodes];
  const twice = nodes.find((node) => all.indexOf(node) !== all.lastIndexOf(node));
  if (twice !== undefined && form !== 'interfaces')
    throw new RefusedEdit(`${twice} is an end of ${id} already`);
  switch (form) {
    case 'text':
      return [
        replaced(
          path,
          isTextual(all) ? [String(yaml.valueAt(path)), ...nodes].join('-') : asMap(bare(all), {}),
        ),
      ];
    case 'list':
      return [{ kind: 'append', path, values: nodes }];
    case 'interfaces':
      return [{ kind: 'append', path: [...path, 'interfaces'], values: nodes }];
    case 'keys':
      return [{ kind: 'insert', path, entries: bare(nodes) }];
  }
}

/** The ends of a link in a notation without attributes, as a map that can have some. */
const openedLink = ({ written }: ReadLink): Ends =>
  written.map(({ name, attributes }) => [name, orNull(attributes)]);

const isClosed = ({ form }: ReadLink): boolean => form === 'text' || form === 'list';

export function withLinkValue(
  link: ReadLink,
  { keys, value }: EditOf<'set-link'>,
  { yaml, topology }: { readonly yaml: YamlText; readonly topology: ReadTopology },
): Operation[] {
  const { path } = link;
  const [first = ''] = keys;
  if (topology.nodes.some(({ drawn }) => drawn.name === first))
    throw new RefusedEdit(`${first} is a node, so links cannot have an attribute ${first}`);
  const whole = [...path, ...keys];
  if (value === undefined)
    return isClosed(link) || yaml.valueAt(whole) === undefined ? [] : [{ kind: 'remove', path: whole }];
  if (!isClosed(link)) return [{ kind: 'put', path: whole, value }];
  return [replaced(path, asMap(openedLink(link), nested(keys, value)))];
}

/** containerlab keeps nothing but the name of the interface at an end. */
function withPort(
  { path }: ReadLink['ends'][number],
  node: string,
  { keys, value }: EditOf<'set-end'>,
  yaml: YamlText,
): Operation[] {
  if (keys.join('.') !== 'interface' || typeof value !== 'string' || value === '')
    throw new RefusedEdit('an end of a link of containerlab needs the name of its interface');
  if (typeof yaml.valueAt(path) === 'string') return [{ kind: 'put', path, value: `${node}:${value}` }];
  return [{ kind: 'put', path: [...path, 'interface'], value }];
}

export function withEndValue(link: ReadLink, edit: EditOf<'set-end'>, yaml: YamlText): Operation[] {
  const { keys, value } = edit;
  const end = link.ends[edit.end];
  if (!end) throw new RefusedEdit(`the link ${link.id} has no such end any more`);
  if (link.form === 'endpoints') return withPort(end, end.name, edit, yaml);
  const whole = [...end.path, ...keys];
  if (value === undefined)
    return link.form === 'text' || yaml.valueAt(whole) === undefined ? [] : [{ kind: 'remove', path: whole }];
  if (link.form === 'text') {
    const ends = link.written.map((one): [string, Mapping | null] => [
      one.name,
      one === end ? nested(keys, value) : null,
    ]);
    return [replaced(link.path, asMap(ends, {}))];
  }
  // An end that is only a name becomes a map.
  if (typeof yaml.valueAt(end.path) === 'string')
    return [{ kind: 'put', path: end.path, value: { node: end.name, ...nested(keys, value) } }];
  return [{ kind: 'put', path: whole, value }];
}
