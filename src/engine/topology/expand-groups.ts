/**
 * Expands groups of nodes: copies the attributes of a group to its members, as netlab does
 * (`netsim/augment/groups.py`). Later steps work with nodes only.
 */
import { addMissing, isMapping, type Mapping, type Reading } from './source.ts';
import { advice, checkKeys, supportedAttributes } from './attributes.ts';

interface Group {
  readonly name: string;
  readonly data: Mapping;
  /** Names of nodes, and of other groups. */
  readonly members: string[];
}

interface Context extends Reading {
  readonly nodes: Mapping;
  readonly groups: ReadonlyMap<string, Group>;
}

/** Groups with implicit members: all nodes, and the nodes of a device. */
const everyNode = 'all';
const devices: readonly string[] = ['linux', 'linux-router', 'none'];

/** The group's data as a map; reports other values and then returns undefined. */
function dataOf(given: Mapping, name: string, { source, findings }: Reading): Mapping | undefined {
  const value = given[name];
  if (isMapping(value)) return value;
  if (Array.isArray(value)) {
    const data = source.mapping();
    const at = source.valueAt(given, name);
    source.put(data, 'members', value, { key: at, value: at });
    return data;
  }
  findings.error(source.valueAt(given, name), `groups.${name} must be a map, or a list of members`);
  return undefined;
}

function namesOf(data: Mapping, key: string, where: string, { source, findings }: Reading): string[] {
  const given = data[key] ?? [];
  const list: unknown[] = Array.isArray(given) ? given : [given];
  return list.flatMap((name) => {
    if (typeof name === 'string') return [name];
    findings.error(source.valueAt(data, key), `${where}.${key} must be a list of names`);
    return [];
  });
}

function readGroups(given: Mapping, nodes: Mapping, reading: Reading): Map<string, Group> {
  const { source, findings } = reading;
  const groups = new Map<string, Group>();
  for (const name of Object.keys(given).filter((key) => !key.startsWith('_'))) {
    const at = source.keyAt(given, name);
    const data = dataOf(given, name, reading);
    if (data === undefined) continue;
    if (name in nodes) findings.error(at, `groups.${name}: a node has the same name`);
    checkKeys('group', data, reading);
    if (data['type'] !== undefined && data['type'] !== 'node')
      findings.error(
        source.valueAt(data, 'type'),
        `groups.${name}: the bundled engine supports only groups of nodes; ${advice}`,
      );
    const members = namesOf(data, 'members', `groups.${name}`, reading);
    if ((name === everyNode || devices.includes(name)) && members.length > 0)
      findings.error(at, `the members of groups.${name} cannot be set`);
    groups.set(name, { name, data, members });
  }
  return groups;
}

/** With `_auto_create`, makes the nodes that only a group names. */
function createMembers(given: Mapping, { source, nodes, groups }: Context): void {
  for (const { data, members } of groups.values()) {
    if (data['_auto_create'] !== true && given['_auto_create'] !== true) continue;
    const at = source.valueAt(data, 'members');
    for (const name of members)
      if (!groups.has(name) && !(name in nodes)) source.put(nodes, name, null, { key: at, value: at });
  }
}

/** The form of `~x.` (a regular expression) or `x*` (a wildcard); undefined for a plain name. */
function patternOf(member: string): RegExp | undefined {
  if (member.startsWith('~')) return new RegExp(`^(?:${member.slice(1)})$`);
  if (!/[[\].*?!]/.test(member)) return undefined;
  const source = member
    .replaceAll(/[.+^${}()|\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source.replaceAll('[!', '[^')}$`);
}

function matching(member: string, nodes: Mapping): string[] {
  try {
    const pattern = patternOf(member);
    return pattern === undefined ? [] : Object.keys(nodes).filter((name) => pattern.test(name));
  } catch {
    // Not a regular expression: it matches nothing.
    return [];
  }
}

/** The members as names of nodes and groups; reports names without a node or group. */
function expandMembers(
  { name, data, members }: Group,
  { source, findings, nodes, groups }: Context,
): string[] {
  return members.flatMap((member) => {
    if (member in nodes || groups.has(member)) return [member];
    const found = matching(member, nodes);
    if (found.length === 0)
      findings.error(
        source.valueAt(data, 'members'),
        `groups.${name}: "${member}" is neither a node nor a group (_auto_create: True makes nodes of members)`,
      );
    return found;
  });
}

/** Adds nodes to the groups that their `group` names. */
function joinGroups({ source, findings, nodes, groups }: Context): void {
  for (const [node, data] of Object.entries(nodes)) {
    if (!isMapping(data) || data['group'] === undefined) continue;
    for (const name of namesOf(data, 'group', `nodes.${node}`, { source, findings })) {
      const group = groups.get(name);
      // netlab makes a group that only nodes name; without data it has no effect.
      if (group !== undefined && !group.members.includes(node)) group.members.push(node);
    }
  }
}

/** The groups in netlab's order: each after the groups in it, by name. The first value wins. Reports circles. */
function inOrder({ source, findings, groups }: Context, given: Mapping): Group[] {
  const left = new Map([...groups].toSorted(([one], [other]) => (one < other ? -1 : 1)));
  const order: Group[] = [];
  while (left.size > 0) {
    const before = left.size;
    for (const [name, group] of left) {
      if (group.members.some((member) => left.has(member))) continue;
      order.push(group);
      left.delete(name);
    }
    if (left.size < before) continue;
    const [first = ''] = left.keys();
    findings.error(source.keyAt(given, first), `groups.${first} contains a circle of groups`);
    return order;
  }
  return order;
}

function membersOf(name: string, { source, nodes, groups }: Context): string[] {
  if (name === everyNode) return Object.keys(nodes);
  if (devices.includes(name)) {
    const usual = (source.root['defaults'] as Mapping | undefined)?.['device'] ?? 'linux';
    const deviceOf = (data: unknown) => (isMapping(data) ? (data['device'] ?? usual) : usual);
    return Object.keys(nodes).filter((node) => deviceOf(nodes[node]) === name);
  }
  const members = groups.get(name)?.members ?? [];
  return members.flatMap((member) =>
    groups.has(member) ? membersOf(member, { source, nodes, groups } as Context) : [member],
  );
}

/** The attributes that a group gives to its nodes: its node attributes and `node_data`. */
function nodeDataOf({ data }: Group, source: Reading['source']): Mapping {
  const given = source.mapping();
  const taken = supportedAttributes('node').filter((key) => key !== 'name' && key in data);
  for (const key of taken)
    source.put(given, key, data[key], { key: source.keyAt(data, key), value: source.valueAt(data, key) });
  if (isMapping(data['node_data'])) addMissing(given, data['node_data'], source);
  return given;
}

/** Applies `groups` of the topology to its `nodes`: makes members, and gives them the data of their groups. */
export function expandGroups(reading: Reading): void {
  const { source, findings } = reading;
  const { root } = source;
  const given = root['groups'];
  if (given === undefined || given === null) return;
  if (!isMapping(given)) {
    findings.error(source.valueAt(root, 'groups'), 'groups must be a map');
    return;
  }
  const at = { key: source.keyAt(root, 'groups'), value: source.valueAt(root, 'groups') };
  if (root['nodes'] === undefined || root['nodes'] === null) source.put(root, 'nodes', source.mapping(), at);
  const nodes = root['nodes'];
  // The reader of `nodes` reports their errors.
  if (!isMapping(nodes)) return;
  const groups = readGroups(given, nodes, reading);
  const context: Context = { ...reading, nodes, groups };
  createMembers(given, context);
  for (const group of groups.values())
    group.members.splice(0, group.members.length, ...new Set(expandMembers(group, context)));
  joinGroups(context);
  for (const group of inOrder(context, given)) {
    const data = nodeDataOf(group, source);
    if (Object.keys(data).length === 0) continue;
    for (const name of membersOf(group.name, context)) {
      const own = nodes[name] ?? source.mapping();
      if (nodes[name] === null)
        source.put(nodes, name, own, { key: source.keyAt(nodes, name), value: source.valueAt(nodes, name) });
      if (isMapping(own)) addMissing(own, data, source);
    }
  }
}
