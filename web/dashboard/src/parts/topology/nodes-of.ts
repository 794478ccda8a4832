/** Finds the nodes of a netlab topology: its entries, the members of groups, and what may add others. */
import { isMapping, type Mapping, type Source } from '../../../../../src/engine/topology/source.ts';
import { plugins } from './topology-words.ts';

/** Plugins that add nodes. */
const makesNodes = new Set(['fabric', 'node.clone']);

const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? (value as unknown[]) : value === undefined || value === null ? [] : [value];

/** The plugins that add nodes, or may do so because they are unknown. */
export function pluginsWithNodes(root: Mapping): string[] {
  const used = listOf(root['plugin']).map(String);
  return used.filter((one) => makesNodes.has(one) || !plugins.includes(one));
}

/** Whether nodes may be defined elsewhere, so that a node missing in the text may exist. */
export function mayHaveOtherNodes(root: Mapping): boolean {
  return pluginsWithNodes(root).length > 0 || '_include' in root || 'components' in root;
}

export interface FoundGroup {
  readonly name: string;
  readonly members: readonly string[];
  /** The path of the list of its members. */
  readonly path: readonly string[];
  /** Empty for a group that is only a list of its members. */
  readonly data: Mapping;
  /** Whether it creates nodes for members that have no entry. */
  readonly isCreator: boolean;
}

function groupsIn(groups: unknown, path: readonly string[]): FoundGroup[] {
  if (!isMapping(groups)) return [];
  return Object.entries(groups).flatMap(([name, group]) => {
    const data = isMapping(group) ? group : {};
    // Groups of VLANs and VRFs.
    if (name.startsWith('_') || (data['type'] ?? 'node') !== 'node') return [];
    const members = listOf(isMapping(group) ? group['members'] : group);
    return {
      name,
      members: members.filter((one) => typeof one === 'string'),
      path: [...path, name, ...(isMapping(group) ? ['members'] : [])],
      data,
      isCreator: groups['_auto_create'] === true || data['_auto_create'] === true,
    };
  });
}

export function groupsOf({ groups, defaults }: Mapping): FoundGroup[] {
  const own = groupsIn(groups, ['groups']);
  const others = isMapping(defaults) ? groupsIn(defaults['groups'], ['defaults', 'groups']) : [];
  return [...own, ...others.filter(({ name }) => !own.some((one) => one.name === name))];
}

/** The nodes that groups create. Groups can be members too. */
export function membersOf(root: Mapping): string[] {
  const groups = groupsOf(root);
  const members = groups.flatMap((group) => (group.isCreator ? group.members : []));
  return members.filter((member) => !groups.some(({ name }) => name === member));
}

export interface NodeEntry {
  readonly name: string;
  readonly data: unknown;
  readonly at: number;
  readonly path: readonly (string | number)[];
}

export function nodesOf(source: Source): NodeEntry[] {
  const { nodes } = source.root;
  const place = (origin: number | string): number => (typeof origin === 'number' ? origin : 0);
  if (isMapping(nodes))
    return Object.entries(nodes).map(([name, data]) => ({
      name,
      data,
      at: place(source.keyAt(nodes, name)),
      path: ['nodes', name],
    }));
  if (!Array.isArray(nodes)) return [];
  return (nodes as unknown[]).flatMap((item, index) => {
    const name = isMapping(item) ? item['name'] : item;
    const at = place(source.valueAt(nodes, index));
    const data = isMapping(item) ? item : null;
    return typeof name === 'string' ? [{ name, data, at, path: ['nodes', index] }] : [];
  });
}
