/** Reads a topology of containerlab as a drawing. */
import { isMapping, type Mapping } from '../../../../../src/engine/topology/source.ts';
import type { DrawnNode } from './drawing.ts';
import type { FoundTopology, ReadEnd, ReadLink } from './read-topology.ts';
import type { Path, YamlText } from './yaml-text.ts';

const mapOf = (value: unknown): Mapping => (isMapping(value) ? value : {});

/** The kind of a node: its own, that of its group, or the default (containerlab's order). */
function kindOf(data: Mapping, topology: Mapping): string | null {
  const group = mapOf(mapOf(topology['groups'])[String(data['group'])]);
  const kinds = [data, group, mapOf(topology['defaults'])].map(({ kind }) => kind);
  return kinds.find((kind) => typeof kind === 'string') ?? null;
}

const bridges = new Set(['bridge', 'ovs-bridge']);

function roleOf(kind: string | null): string | null {
  if (kind === null) return null;
  return bridges.has(kind) ? 'bridge' : kind === 'linux' ? 'host' : null;
}

function drawnNode(
  name: string,
  data: unknown,
  { topology, yaml }: { topology: Mapping; yaml: YamlText },
): DrawnNode {
  const attributes = mapOf(data);
  const kind = kindOf(attributes, topology);
  const { group } = attributes;
  return {
    name,
    device: kind,
    role: roleOf(kind),
    groups: typeof group === 'string' ? [group] : [],
    attributes,
    span: yaml.spanOf(['topology', 'nodes', name]),
  };
}

/** `r1:eth1`, or a map with `node` and `interface`. */
function endOf(end: unknown, path: Path): ReadEnd[] {
  if (isMapping(end)) {
    const { node, interface: port, ...attributes } = end;
    const known = typeof port === 'string' ? port : null;
    return typeof node === 'string' ? [{ name: node, interface: known, path, attributes }] : [];
  }
  if (typeof end !== 'string') return [];
  const colon = end.indexOf(':');
  return colon === -1
    ? []
    : [{ name: end.slice(0, colon), interface: end.slice(colon + 1), path, attributes: {} }];
}

function linkOf(link: unknown, path: Path, nodes: ReadonlySet<string>): Omit<ReadLink, 'id'>[] {
  if (!isMapping(link)) return [];
  const { endpoints, endpoint, ...attributes } = link;
  const written = Array.isArray(endpoints)
    ? (endpoints as unknown[]).flatMap((end, index) => endOf(end, [...path, 'endpoints', index]))
    : endOf(endpoint, [...path, 'endpoint']);
  const names = written.map(({ name }) => name);
  const ends = written.filter(({ name }) => nodes.has(name));
  return [{ path, form: 'endpoints', ends, written, names, attributes }];
}

export function readContainerlab(yaml: YamlText): FoundTopology {
  const topology = mapOf(yaml.tree['topology']);
  const nodes = Object.entries(mapOf(topology['nodes']));
  const names = new Set(nodes.map(([name]) => name));
  const list = Array.isArray(topology['links']) ? (topology['links'] as unknown[]) : [];
  const links = list.flatMap((link, index) => linkOf(link, ['topology', 'links', index], names));
  return {
    nodes: nodes.map(([name, data]) => ({
      path: ['topology', 'nodes', name],
      data,
      drawn: drawnNode(name, data, { topology, yaml }),
    })),
    links,
    others: [],
    groups: [],
    unseen: [],
  };
}
