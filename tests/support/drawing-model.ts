/** A small model of a drawing, without any text: what each edit should make of it. */
import type { Drawing, Edit } from '../../web/dashboard/src/parts/drawing/drawing.ts';

type Values = Record<string, unknown>;

interface End {
  node: string;
  interface: string | null;
  attributes: Values;
}

export interface Model {
  readonly format: Drawing['format'];
  nodes: { name: string; attributes: Values }[];
  links: { id: string; ends: End[]; attributes: Values; bridge?: string }[];
  groups: { name: string; members: string[] }[];
}

const clone = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

export function modelOf({ format, nodes, links, groups }: Drawing): Model {
  return clone({
    format,
    nodes: nodes.map(({ name, attributes }) => ({ name, attributes })),
    links: links.map(({ id, ends, attributes, bridge }) => ({ id, ends, attributes, bridge })),
    groups: groups.map(({ name, members }) => ({ name, members })),
  }) as Model;
}

const isMap = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An empty map means the same as no value. */
function pruned(value: unknown): unknown {
  if (!isMap(value)) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, pruned(inner)] as const);
  const kept = entries.filter(
    ([, inner]) => inner !== null && !(isMap(inner) && Object.keys(inner).length === 0),
  );
  return Object.fromEntries(kept.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** The same text for drawings that mean the same. */
export function canonical({ nodes, links, groups }: Model): string {
  const lines = [
    ...nodes.map(({ name, attributes }) => `node ${name} ${JSON.stringify(pruned(attributes))}`),
    ...links.map(({ ends, attributes }) => {
      const all = ends.map((end) => [end.node, end.interface, pruned(end.attributes)]);
      return `link ${JSON.stringify([all, pruned(attributes)])}`;
    }),
    ...groups.map(({ name, members }) => `group ${name} ${members.join(' ')}`),
  ];
  return lines.toSorted().join('\n');
}

function put(map: Values, [first = '', ...others]: readonly string[], value: unknown): void {
  if (others.length > 0) {
    if (!isMap(map[first])) {
      if (value === undefined) return;
      map[first] = {};
    }
    put(map[first] as Values, others, value);
  } else if (value === undefined) delete map[first];
  else map[first] = clone(value);
}

const without = (map: Values, keys: readonly string[]): Values =>
  Object.fromEntries(Object.entries(map).filter(([key]) => !keys.includes(key)));

const ownOfNode = ['id', 'name', 'mgmt', 'router_id', 'mgmt-ipv4', 'mgmt-ipv6', 'ports'];

function copy(model: Model, copies: ReadonlyMap<string, string>): void {
  for (const [name, to] of copies) {
    const attributes = without(model.nodes.find((node) => node.name === name)?.attributes ?? {}, ownOfNode);
    if (isMap(attributes['loopback'])) delete attributes['loopback'];
    model.nodes.push({ name: to, attributes });
  }
  const size = model.format === 'containerlab' ? 2 : 1;
  const between = model.links.filter(
    ({ ends }) => ends.length >= size && ends.every(({ node }) => copies.has(node)),
  );
  for (const { ends, attributes, bridge = '' } of between) {
    const copied = copies.get(bridge);
    if (copied !== undefined && 'bridge' in attributes) attributes['bridge'] = copied;
    model.links.push({
      id: '',
      ends: ends.map((end) => ({
        node: copies.get(end.node) ?? '',
        interface: end.interface,
        attributes: without(end.attributes, ['ipv4', 'ipv6', 'mac', 'ifindex']),
      })),
      attributes: without(attributes, ['prefix', 'name', 'linkname', 'linkindex']),
    });
  }
  for (const { members } of model.groups) members.push(...members.flatMap((name) => copies.get(name) ?? []));
}

/** The attributes of the fixtures that name nodes. */
const naming = ['node', 'server', 'start_after', 'network-mode', 'pid-mode'];

function renameIn(value: unknown, name: string, to: string, isName = false): unknown {
  if (Array.isArray(value)) return value.map((item) => renameIn(item, name, to, isName));
  if (isMap(value))
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, renameIn(inner, name, to, naming.includes(key))]),
    );
  if (!isName) return value;
  return value === name ? to : value === `container:${name}` ? `container:${to}` : value;
}

function rename(model: Model, name: string, to: string): void {
  const renamed = (one: string): string => (one === name ? to : one);
  for (const node of model.nodes) node.name = renamed(node.name);
  for (const { bridge, attributes } of model.links)
    if (bridge === name && 'bridge' in attributes) attributes['bridge'] = to;
  const ends = model.links.flatMap((link) => link.ends);
  for (const end of ends) end.node = renamed(end.node);
  for (const one of [...model.nodes, ...model.links, ...ends])
    one.attributes = renameIn(one.attributes, name, to) as Values;
  for (const group of model.groups) group.members = group.members.map(renamed);
}

function remove(model: Model, { nodes, links }: Extract<Edit, { kind: 'remove' }>): void {
  model.nodes = model.nodes.filter(({ name }) => !nodes.includes(name));
  for (const { bridge, attributes } of model.links)
    if (bridge !== undefined && nodes.includes(bridge)) delete attributes['bridge'];
  model.links = model.links
    .filter(({ id }) => !links.includes(id))
    .flatMap((link) => {
      const left = link.ends.filter(({ node }) => !nodes.includes(node));
      if (left.length === link.ends.length) return [link];
      return left.length < 2 ? [] : [{ ...link, ends: left }];
    });
  for (const group of model.groups) group.members = group.members.filter((name) => !nodes.includes(name));
}

function setEnd(model: Model, { link, end, keys, value }: Extract<Edit, { kind: 'set-end' }>): void {
  const found = model.links.find(({ id }) => id === link)?.ends[end];
  if (!found) return;
  if (model.format === 'containerlab') found.interface = String(value);
  else {
    put(found.attributes, keys, value);
    const port = found.attributes['ifname'];
    found.interface = typeof port === 'string' ? port : null;
  }
}

const newEnd = (node: string): End => ({ node, interface: null, attributes: {} });

export function modelAfter(before: Model, edit: Edit): Model {
  const model = clone(before);
  const node = (wanted: string): Values => model.nodes.find(({ name }) => name === wanted)?.attributes ?? {};
  const link = (wanted: string) => model.links.find(({ id }) => id === wanted);
  if (edit.kind === 'add-node') model.nodes.push({ name: edit.name, attributes: clone(edit.attributes) });
  else if (edit.kind === 'copy-nodes') copy(model, edit.copies);
  else if (edit.kind === 'rename-node') rename(model, edit.name, edit.to);
  else if (edit.kind === 'remove') remove(model, edit);
  else if (edit.kind === 'add-links')
    for (const nodes of edit.links)
      model.links.push({ id: '', ends: nodes.map(newEnd), attributes: clone(edit.attributes) });
  else if (edit.kind === 'add-ends') link(edit.link)?.ends.push(...edit.nodes.map(newEnd));
  else if (edit.kind === 'set-node') put(node(edit.node), edit.keys, edit.value);
  else if (edit.kind === 'set-nodes') for (const name of edit.nodes) put(node(name), edit.keys, edit.value);
  else if (edit.kind === 'set-link') put(link(edit.link)?.attributes ?? {}, edit.keys, edit.value);
  else if (edit.kind === 'set-end') setEnd(model, edit);
  else {
    model.groups = model.groups.filter(({ name }) => name !== edit.group);
    model.groups.push({ name: edit.group, members: [...edit.members] });
  }
  return model;
}
