/** Random edits of a drawing, and of the text behind it. */
import { some, type Random } from '../../scripts/lib/random.mjs';
import type { Edit, Keys } from '../../web/dashboard/src/parts/drawing/drawing.ts';
import type { Model } from './drawing-model.ts';

const names = ['x1', 'core', 'on', 'edge_2', 'w-1', 'x2', 'x3', 'x4', 'x5', 'y1', 'y2', 'y3'];
const words = ['eos', '10.0.0.0/24', 'a: b', '# x', 'yes', '1e3', '0600', '', 'é', '- x', 5, true, 1.5];
const lists = [['ospf'], ['ospf', 'bgp'], ['bgp', 'vlan', 'ospf'], []];

const keysOf = {
  netlab: {
    node: ['device', 'role', 'bgp.as', 'module', 'mtu', 'ospf.cost', 'clab.image'],
    link: ['prefix', 'type', 'bandwidth', 'ospf.area', 'mtu'],
    end: ['ipv4', 'ospf.cost', 'ifname', 'mtu'],
  },
  containerlab: {
    node: ['kind', 'image', 'env.FOO', 'exec', 'startup-config'],
    link: ['mtu', 'labels.a', 'vars.b'],
    end: ['interface'],
  },
} as const;

/** The paths to all values of nested maps. */
function pathsIn(value: unknown, path: readonly string[] = []): Keys[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => [[...path, key], ...pathsIn(inner, [...path, key])]);
}

function valueFor(random: Random, key: string): unknown {
  if (key === 'module' || key === 'exec') return some(random, lists);
  if (key === 'interface') return `eth${Math.floor(random() * 90) + 10}`;
  return random() < 0.1 ? { ipv4: '10.0.0.1/24', deep: { list: [1, 'a'] } } : some(random, words);
}

/** A key and a value, or a key that has one, to remove it. */
function changeOf(random: Random, known: readonly string[], attributes: unknown) {
  const present = pathsIn(attributes).filter((keys) => keys.every((key) => !key.includes('.')));
  if (random() < 0.3 && present.length > 0) return { keys: some(random, present), value: undefined };
  const keys = some(random, known).split('.');
  return { keys, value: valueFor(random, keys[0] ?? '') };
}

/** Some of a list, in its order. */
const several = <T>(random: Random, list: readonly T[]): T[] => list.filter(() => random() < 0.4);

type Make = (random: Random, model: Model) => Edit | undefined;

const anyNode = (random: Random, { nodes }: Model) => some(random, nodes)?.name;
const newName = (random: Random, { nodes }: Model): string | undefined =>
  names.filter((name) => !nodes.some((node) => node.name === name))[Math.floor(random() * 3)];

const addNode: Make = (random, model) => {
  const name = newName(random, model);
  const attributes = random() < 0.5 ? {} : { role: 'host', ospf: { area: 1 }, module: ['ospf'] };
  return name === undefined ? undefined : { kind: 'add-node', name, attributes };
};

const copyNodes: Make = (random, model) => {
  const free = names.filter((name) => !model.nodes.some((node) => node.name === name));
  const copied = several(random, model.nodes).slice(0, 2);
  const copies = copied.flatMap(({ name }, nr): [string, string][] => {
    const to = free[nr];
    return to === undefined ? [] : [[name, to]];
  });
  return copies.length === 0 ? undefined : { kind: 'copy-nodes', copies: new Map(copies) };
};

const renameNode: Make = (random, model) => {
  const [name, to] = [anyNode(random, model), newName(random, model)];
  return name === undefined || to === undefined ? undefined : { kind: 'rename-node', name, to };
};

const remove: Make = (random, model) => ({
  kind: 'remove',
  nodes: several(random, model.nodes)
    .slice(0, random() < 0.1 ? 99 : 1)
    .map(({ name }) => name),
  links: several(random, model.links)
    .slice(0, random() < 0.1 ? 99 : 1)
    .map(({ id }) => id),
});

const addLinks: Make = (random, model) => {
  const size = model.format === 'containerlab' || random() < 0.7 ? 2 : 3;
  const links = Array.from({ length: random() < 0.5 ? 1 : 3 }, () =>
    Array.from({ length: size }, () => anyNode(random, model)).filter((name) => name !== undefined),
  );
  const attributes = random() < 0.6 ? {} : { mtu: 1400 };
  return links.some((nodes) => nodes.length < size) ? undefined : { kind: 'add-links', links, attributes };
};

const addEnds: Make = (random, model) => {
  const link = some(random, model.links);
  const free = model.nodes
    .map(({ name }) => name)
    .filter((name) => link && !link.ends.some(({ node }) => node === name));
  const nodes = several(random, free).slice(0, 3);
  if (!link || nodes.length === 0 || model.format !== 'netlab') return undefined;
  return { kind: 'add-ends', link: link.id, nodes };
};

const setNode: Make = (random, model) => {
  const node = some(random, model.nodes);
  return (
    node && {
      kind: 'set-node',
      node: node.name,
      ...changeOf(random, keysOf[model.format].node, node.attributes),
    }
  );
};

const setNodes: Make = (random, model) => {
  const nodes = several(random, model.nodes).map(({ name }) => name);
  return nodes.length === 0
    ? undefined
    : { kind: 'set-nodes', nodes, ...changeOf(random, keysOf[model.format].node, {}) };
};

const setLink: Make = (random, model) => {
  const link = some(random, model.links);
  return (
    link && {
      kind: 'set-link',
      link: link.id,
      ...changeOf(random, keysOf[model.format].link, link.attributes),
    }
  );
};

const setEnd: Make = (random, model) => {
  const link = some(random, model.links);
  if (!link) return undefined;
  const end = Math.floor(random() * link.ends.length);
  const attributes = model.format === 'netlab' ? link.ends[end]?.attributes : {};
  return { kind: 'set-end', link: link.id, end, ...changeOf(random, keysOf[model.format].end, attributes) };
};

const setGroup: Make = (random, model) => {
  if (model.format === 'containerlab') return undefined;
  const group = some(random, model.groups) ?? { name: 'mine', members: [] };
  // A node that only its group makes would disappear with its membership.
  const isFixed = model.groups.some(({ name }) => name === 'leafs');
  const members = group.members.filter(() => isFixed || random() < 0.8);
  const added = several(random, model.nodes).flatMap(({ name }) =>
    group.members.includes(name) ? [] : [name],
  );
  return { kind: 'set-group', group: random() < 0.8 ? group.name : 'mine2', members: [...members, ...added] };
};

// prettier-ignore
const makers = [addNode, addNode, addNode, copyNodes, renameNode, remove, addLinks, addLinks, addLinks, addEnds, setNode, setNode, setNodes, setLink, setLink, setEnd, setEnd, setGroup];

export const randomEdit: Make = (random, model) => some(random, makers)(random, model);

/** The text with something typed into it: a comment, an attribute, or a line that is no YAML. */
export function typed(random: Random, text: string, nr: number): string {
  const lines = text.split('\n');
  const at = Math.floor(random() * lines.length);
  const line = lines[at] ?? '';
  const indent = /^ */.exec(line)?.[0] ?? '';
  const what = random();
  if (what < 0.4) lines.splice(at, 0, `${indent}# typed ${nr}`);
  else if (what < 0.6 && line !== '') lines[at] = `${line} # typed ${nr}`;
  else if (what < 0.8 && /^ *[\w-]+: \S+$/.test(line)) lines.splice(at, 0, `${indent}typed${nr}: ${nr}`);
  else lines.splice(at, 0, `${indent}  [ { broken`);
  return lines.join('\n');
}
