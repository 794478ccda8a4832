/** The operations on the values of a file that make up an edit of its drawing. */
import { identifierFormat } from '../../../../../src/engine/topology/identifier-format.ts';
import { isMapping, type Mapping } from '../../../../../src/engine/topology/source.ts';
import type { Edit, Keys } from './drawing.ts';
import {
  addedEnds,
  newLinks,
  renamedEnds,
  withEndValue,
  withLinkValue,
  withoutEnds,
  copiedLink,
} from './link-operations.ts';
import { bridgePaths, nameLists, renamedTexts } from './name-places.ts';
import type { ReadLink, ReadNode, ReadTopology } from './read-topology.ts';
import { editTheText, RefusedEdit, type Operation } from './operation.ts';
import { nested, type Path, type YamlText } from './yaml-text.ts';

export interface Edited {
  readonly yaml: YamlText;
  readonly topology: ReadTopology;
}

type EditOf<K extends Edit['kind']> = Extract<Edit, { kind: K }>;

/** The names of netlab, and of containerlab, whose names become host names. */
const nameFormats = {
  netlab: {
    format: identifierFormat,
    help: 'begins with a letter and has at most 16 letters, digits, _ and -',
  },
  containerlab: {
    format: /^[A-Za-z0-9][\w.-]{0,59}$/,
    help: 'begins with a letter or a digit and has at most 60 letters, digits, _, . and -',
  },
} as const;

function checkNewName(name: string, { yaml, topology }: Edited): void {
  const { format, help } = nameFormats[yaml.format];
  if (!format.test(name)) throw new RefusedEdit(`the name of a node ${help}, unlike “${name}”`);
  if (topology.nodes.some(({ drawn }) => drawn.name === name))
    throw new RefusedEdit(`there is a node ${name} already: choose another name`);
  if (yaml.format === 'netlab' && topology.links.some(({ attributes }) => name in attributes))
    throw new RefusedEdit(`links have an attribute ${name}: choose another name`);
}

/** A node, which may have no entry of its own. */
function anyNode(name: string, { topology }: Edited): ReadNode {
  const node = topology.nodes.find(({ drawn }) => drawn.name === name);
  if (!node) throw new RefusedEdit(`there is no node ${name} any more`);
  return node;
}

/** The node with its place. */
function nodeNamed(name: string, edited: Edited): ReadNode & { readonly path: Path } {
  const node = anyNode(name, edited);
  const { path } = node;
  if (path === undefined) throw new RefusedEdit(`a group creates ${name}: ${editTheText}`);
  return { ...node, path };
}

function linkWithId(id: string, { topology }: Edited): ReadLink {
  const link = topology.links.find((one) => one.id === id);
  if (!link) throw new RefusedEdit(`there is no link ${id} any more`);
  return link;
}

const nodesPath = ({ yaml }: Edited): Path => (yaml.format === 'netlab' ? ['nodes'] : ['topology', 'nodes']);

/** The last list in a map of lists and maps. */
function lastList(links: unknown, path: Path): Path | undefined {
  if (Array.isArray(links)) return path;
  if (!isMapping(links)) return undefined;
  const inner = Object.entries(links).map(([key, group]) => lastList(group, [...path, key]));
  return inner.findLast((found) => found !== undefined);
}

/** Where new links go. */
function linksPath({ yaml }: Edited): Path {
  if (yaml.format === 'containerlab') return ['topology', 'links'];
  return lastList(yaml.valueAt(['links']), ['links']) ?? ['links'];
}

function addNodes(nodes: readonly (readonly [string, Mapping])[], edited: Edited): Operation[] {
  const path = nodesPath(edited);
  for (const [name] of nodes) checkNewName(name, edited);
  const isBare = (attributes: Mapping): boolean => Object.keys(attributes).length === 0;
  if (Array.isArray(edited.yaml.valueAt(path))) {
    const values = nodes.map(([name, attributes]) => (isBare(attributes) ? name : { name, ...attributes }));
    return [{ kind: 'append', path, values }];
  }
  return [{ kind: 'insert', path, entries: nodes.map(([name, own]) => [name, isBare(own) ? null : own]) }];
}

/** The list of links that a link is in, such as the links of a VLAN. */
const listOf = ({ path }: ReadLink): Path | undefined =>
  typeof path.at(-1) === 'number' ? path.slice(0, -1) : undefined;

function addLinks(values: readonly unknown[], edited: Edited, path = linksPath(edited)): Operation[] {
  const links = edited.yaml.valueAt(path);
  if (typeof links === 'string') return [{ kind: 'put', path, value: [links, ...values] }];
  return [{ kind: 'append', path, values }];
}

/** Attributes that two nodes cannot have alike. */
const ownAttributes = new Set(['id', 'name', 'mgmt', 'router_id', 'mgmt-ipv4', 'mgmt-ipv6', 'ports']);

function copyNodes({ copies }: EditOf<'copy-nodes'>, edited: Edited): Operation[] {
  const nodes = [...copies].map(([name, copy]): [string, Mapping] => {
    const { attributes } = nodeNamed(name, edited).drawn;
    const kept = Object.entries(attributes).filter(
      ([key, value]) => !ownAttributes.has(key) && !(key === 'loopback' && isMapping(value)),
    );
    return [copy, Object.fromEntries(kept)];
  });
  if (new Set(copies.values()).size < copies.size)
    throw new RefusedEdit('two copies have the same name: choose others');
  const links = edited.topology.links.filter(
    ({ names, written, form }) =>
      names.every((name) => copies.has(name)) && (form !== 'endpoints' || written.length === 2),
  );
  const members = nameLists(edited).flatMap(({ path, names, isGroup, isText }): Operation[] => {
    const values = names.flatMap((name) => copies.get(name) ?? []);
    if (!isGroup || values.length === 0) return [];
    return [isText ? { kind: 'put', path, value: [...names, ...values] } : { kind: 'append', path, values }];
  });
  return [
    ...addNodes(nodes, edited),
    ...links.flatMap((link) => addLinks([copiedLink(link, copies)], edited, listOf(link))),
    ...members,
  ];
}

function renameNode({ name, to }: EditOf<'rename-node'>, edited: Edited): Operation[] {
  const { path, data } = nodeNamed(name, edited);
  if (to === name) return [];
  checkNewName(to, edited);
  const inList = Array.isArray(edited.yaml.valueAt(nodesPath(edited)));
  const own: Operation = inList
    ? { kind: 'put', path: data === null ? path : [...path, 'name'], value: to }
    : { kind: 'rename', path, to };
  const members = nameLists(edited).flatMap(({ path: list, names, isText }) =>
    names.flatMap((one, index): Operation[] =>
      one === name ? [{ kind: 'put', path: isText ? list : [...list, index], value: to }] : [],
    ),
  );
  const { links, others } = edited.topology;
  const ends = [...links, ...others].filter(({ names }) => names.includes(name));
  const texts = renamedTexts({ name, to }, edited);
  // A new key changes the paths below it: values are changed first.
  return [
    ...texts.map((one): Operation => ({ kind: 'put', path: one.path, value: one.text })),
    ...members,
    ...ends.flatMap((link) => renamedEnds(link, { name, to }, edited.yaml)),
    own,
  ];
}

const isWithin = (path: Path, { path: outer }: Operation): boolean =>
  outer.length <= path.length && outer.every((key, nr) => key === path[nr]);

function remove({ nodes, links }: EditOf<'remove'>, edited: Edited): Operation[] {
  const gone = new Set(nodes);
  const all = links.map((id) => linkWithId(id, edited));
  const { others } = edited.topology;
  const changed = [...edited.topology.links.filter((link) => !all.includes(link)), ...others];
  const members = nameLists(edited).flatMap(({ path, names, isText }) =>
    names.flatMap((name, index): Operation[] => {
      if (!gone.has(name)) return [];
      return [isText ? { kind: 'put', path, value: [] } : { kind: 'remove', path: [...path, index] }];
    }),
  );
  const removed = [
    ...nodes.map((name): Operation => ({ kind: 'remove', path: nodeNamed(name, edited).path })),
    ...all.map(({ path }): Operation => ({ kind: 'remove', path })),
    ...changed.flatMap((link) => withoutEnds(link, gone)),
  ];
  const bridges = nodes
    .flatMap((name) => bridgePaths(name, edited))
    .filter((path) => !removed.some((one) => isWithin(path, one)))
    .map((path): Operation => ({ kind: 'remove', path }));
  return [...removed, ...bridges, ...members];
}

function setAt(path: Path, keys: Keys, value: unknown, { yaml }: Edited): Operation[] {
  const whole = [...path, ...keys];
  if (value !== undefined) return [{ kind: 'put', path: whole, value }];
  return yaml.valueAt(whole) === undefined ? [] : [{ kind: 'remove', path: whole }];
}

function setNode({ node, keys, value }: EditOf<'set-node'>, edited: Edited): Operation[] {
  const { path } = nodeNamed(node, edited);
  // In a list, a node without attributes is only its name.
  if (typeof edited.yaml.valueAt(path) !== 'string') return setAt(path, keys, value, edited);
  return value === undefined ? [] : [{ kind: 'put', path, value: { name: node, ...nested(keys, value) } }];
}

function setGroup({ group, members }: EditOf<'set-group'>, { yaml, topology }: Edited): Operation[] {
  if (yaml.format === 'containerlab')
    throw new RefusedEdit('containerlab has the group in the entry of each node: set it there');
  const known = topology.groups.find(({ name }) => name === group);
  if (!known) return [{ kind: 'insert', path: ['groups'], entries: [[group, { members }]] }];
  const kept = known.members.filter((name) => members.includes(name));
  const added = members.filter((name) => !known.members.includes(name));
  if (added.length === 0 && kept.length === known.members.length) return [];
  return [{ kind: 'put', path: known.path, value: [...kept, ...added] }];
}

/** @throws RefusedEdit */
export function operationsFor(edited: Edited, edit: Edit): Operation[] {
  switch (edit.kind) {
    case 'add-node':
      return addNodes([[edit.name, edit.attributes]], edited);
    case 'copy-nodes':
      return copyNodes(edit, edited);
    case 'rename-node':
      return renameNode(edit, edited);
    case 'remove':
      return remove(edit, edited);
    case 'add-links':
      for (const name of edit.links.flat()) anyNode(name, edited);
      return addLinks(newLinks(edit, edited), edited);
    case 'add-ends':
      for (const name of edit.nodes) anyNode(name, edited);
      return addedEnds(linkWithId(edit.link, edited), edit.nodes, edited.yaml);
    case 'set-node':
      return setNode(edit, edited);
    case 'set-nodes':
      return edit.nodes.flatMap((node) => setNode({ ...edit, kind: 'set-node', node }, edited));
    case 'set-link':
      return withLinkValue(linkWithId(edit.link, edited), edit, edited);
    case 'set-end':
      return withEndValue(linkWithId(edit.link, edited), edit, edited.yaml);
    case 'set-group':
      return setGroup(edit, edited);
  }
}
