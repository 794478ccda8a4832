/** The operations that change links, in each notation. */
import type { Mapping } from '../../../../../src/engine/topology/source.ts';
import type { Edit } from './drawing.ts';
import { nextPort } from './next-port.ts';
import type { ReadEnd, ReadLink, ReadTopology } from './read-topology.ts';
import { RefusedEdit, type Operation } from './operation.ts';
import { nested, type YamlText } from './yaml-text.ts';

type EditOf<K extends Edit['kind']> = Extract<Edit, { kind: K }>;

/** netlab divides a link such as `a-b` at every hyphen. */
const isTextual = (names: readonly string[]): boolean =>
  names.length > 1 && names.every((name) => !name.includes('-'));

type Ends = readonly (readonly [string, Mapping | null])[];

/** A map with nodes as keys; with a node twice, a list of ends. */
function asMap(ends: Ends, attributes: Mapping): Mapping {
  const isUnique = new Set(ends.map(([name]) => name)).size === ends.length;
  if (isUnique) return { ...Object.fromEntries(ends), ...attributes };
  const interfaces = ends.map(([node, own]) => (own === null ? node : { node, ...own }));
  return { interfaces, ...attributes };
}

const bare = (names: readonly string[]): [string, null][] => names.map((name) => [name, null]);

function asValue(ends: Ends, attributes: Mapping): unknown {
  const names = ends.map(([name]) => name);
  const isBare = Object.keys(attributes).length === 0 && ends.every(([, own]) => own === null);
  return isBare && isTextual(names) ? names.join('-') : asMap(ends, attributes);
}

export function newLink(
  { nodes, attributes }: EditOf<'add-link'>,
  { yaml, topology }: { readonly yaml: YamlText; readonly topology: ReadTopology },
): unknown {
  if (yaml.format === 'netlab') return asValue(bare(nodes), attributes);
  if (nodes.length !== 2)
    throw new RefusedEdit(
      'a link of containerlab has two ends: add a node of kind bridge, and link the others to it',
    );
  const endpoints: string[] = [];
  for (const name of nodes) {
    const used = [
      ...topology.links.flatMap(({ ends }) => ends.map((end) => `${end.name}:${end.interface ?? ''}`)),
      ...endpoints,
    ];
    endpoints.push(`${name}:${nextPort(name, used, topology)}`);
  }
  return { endpoints, ...attributes };
}

const addresses = new Set(['prefix', 'name', 'linkname', 'linkindex']);
const endAddresses = new Set(['ipv4', 'ipv6', 'mac', 'ifindex']);

const without = (map: Mapping, keys: ReadonlySet<string>): Mapping =>
  Object.fromEntries(Object.entries(map).filter(([key]) => !keys.has(key)));

const orNull = (map: Mapping): Mapping | null => (Object.keys(map).length === 0 ? null : map);

/** The link between the copies of its nodes, without the addresses that only one link can have. */
export function copiedLink(
  { form, written, attributes }: ReadLink,
  copies: ReadonlyMap<string, string>,
): unknown {
  const ends = written.map(({ name, ...end }): ReadEnd => ({
    ...end,
    name: copies.get(name) ?? name,
    attributes: without(end.attributes, endAddresses),
  }));
  const own = without(attributes, addresses);
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
  { form, path, names, ends, attributes }: ReadLink,
  { name, to }: { readonly name: string; readonly to: string },
  yaml: YamlText,
): Operation[] {
  const renamed = names.map((one) => (one === name ? to : one));
  if (form === 'text') return [{ kind: 'put', path, value: asValue(bare(renamed), attributes) }];
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
export function withoutEnds({ form, path, names, ends }: ReadLink, gone: ReadonlySet<string>): Operation[] {
  const left = names.filter((name) => !gone.has(name));
  if (left.length === names.length) return [];
  if (left.length < 2 || form === 'endpoints') return [{ kind: 'remove', path }];
  if (form === 'text') return [{ kind: 'put', path, value: asValue(bare(left), {}) }];
  return ends.filter(({ name }) => gone.has(name)).map((end) => ({ kind: 'remove', path: end.path }));
}

export function addedEnd({ form, path, names, id }: ReadLink, node: string, yaml: YamlText): Operation[] {
  if (form === 'endpoints')
    throw new RefusedEdit(
      'a link of containerlab has two ends: add a node of kind bridge, and link the others to it',
    );
  if (names.includes(node) && form !== 'interfaces')
    throw new RefusedEdit(`${node} is an end of ${id} already`);
  const all = [...names, node];
  switch (form) {
    case 'text':
      return [
        {
          kind: 'put',
          path,
          value: isTextual(all) ? `${String(yaml.valueAt(path))}-${node}` : asMap(bare(all), {}),
        },
      ];
    case 'list':
      return [{ kind: 'append', path, values: [node] }];
    case 'interfaces':
      return [{ kind: 'append', path: [...path, 'interfaces'], values: [node] }];
    case 'keys':
      return [{ kind: 'put', path: [...path, node], value: null }];
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
  return [{ kind: 'put', path, value: asMap(openedLink(link), nested(keys, value)) }];
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
    return [{ kind: 'put', path: link.path, value: asMap(ends, {}) }];
  }
  // An end that is only a name becomes a map.
  if (typeof yaml.valueAt(end.path) === 'string')
    return [{ kind: 'put', path: end.path, value: { node: end.name, ...nested(keys, value) } }];
  return [{ kind: 'put', path: whole, value }];
}
