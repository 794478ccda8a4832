/** Reads a topology of netlab, or of the bundled engine, as a drawing. */
import { isMapping, type Mapping } from '../../../../../src/engine/topology/source.ts';
import { linksOf, type FoundLink, type LinksContext } from '../topology/links-of.ts';
import { groupsOf, membersOf, nodesOf, pluginsWithNodes, type FoundGroup } from '../topology/nodes-of.ts';
import type { DrawnNode, Unseen } from './drawing.ts';
import type { FoundTopology } from './read-topology.ts';
import type { Path, YamlText } from './yaml-text.ts';

const textOr = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** The first text at a key of the node, of its groups, and of the defaults. */
function inherited(
  key: string,
  own: Mapping,
  groups: readonly FoundGroup[],
  defaults: unknown,
): string | null {
  const maps = [own, ...groups.map(({ data }) => data), ...(isMapping(defaults) ? [defaults] : [])];
  return maps.map((map) => textOr(map[key])).find((value) => value !== undefined) ?? null;
}

function groupNames(name: string, own: Mapping, groups: readonly FoundGroup[]): string[] {
  const { group } = own;
  const said = (Array.isArray(group) ? (group as unknown[]) : [group]).filter(
    (one) => typeof one === 'string',
  );
  return [
    ...new Set([...groups.filter(({ members }) => members.includes(name)).map((one) => one.name), ...said]),
  ];
}

/** Groups can be members of groups: those of a node come first. */
function withOuter(names: readonly string[], all: readonly FoundGroup[]): FoundGroup[] {
  const found = new Set(names);
  for (const name of found) for (const group of all) if (group.members.includes(name)) found.add(group.name);
  return [...found].flatMap((name) => all.find((group) => group.name === name) ?? []);
}

const hosts = new Set(['linux', 'dnsmasq']);

interface Named {
  readonly name: string;
  readonly data: unknown;
  readonly path: Path | undefined;
}

function drawnNode({ name, data, path }: Named, yaml: YamlText, all: readonly FoundGroup[]): DrawnNode {
  const entries = Object.entries(isMapping(data) ? data : {});
  // In a list, the name is an attribute too.
  const attributes = Object.fromEntries(entries.filter(([key]) => key !== 'name'));
  const names = groupNames(name, attributes, all);
  const groups = withOuter(names, all);
  const device = inherited('device', attributes, groups, yaml.tree['defaults']);
  return {
    name,
    device,
    role: inherited('role', attributes, groups, undefined) ?? (hosts.has(device ?? '') ? 'host' : null),
    groups: names,
    attributes,
    span: path && yaml.spanOf(path),
  };
}

/** The plugin `ebgp.multihop` has its BGP sessions in the notation of links. */
const sessionsPath = ['bgp', 'multihop', 'sessions'];

/** The lists of links: those of the topology, and of its VLANs and VRFs. */
function linkLists(tree: Mapping): readonly { readonly links: unknown; readonly path: Path }[] {
  const others = ['vlans', 'vrfs'].flatMap((kind) => {
    const map = tree[kind];
    if (!isMapping(map)) return [];
    return Object.entries(map).flatMap(([name, data]) =>
      isMapping(data) && 'links' in data ? [{ links: data['links'], path: [kind, name, 'links'] }] : [],
    );
  });
  return [{ links: tree['links'], path: ['links'] }, ...others];
}

/** netlab leaves the link out of the lab. */
const isDisabled = (link: NetlabLink): boolean =>
  [link.attributes, link.inherited].some(({ disable }) => disable === true);

/** The maps in `links` in which nothing is a link: below a name, netlab reads a map of nodes as groups without links. */
function emptyGroups(links: unknown, path: Path, context: LinksContext): Path[] {
  if (!isMapping(links)) return [];
  return Object.entries(links).flatMap(([key, group]) => {
    const own = [...path, key];
    const isEmpty = isMapping(group) && linksOf(group, own, context).length === 0;
    return isEmpty ? [own] : emptyGroups(group, own, context);
  });
}

function unseenIn(yaml: YamlText, disabled: readonly NetlabLink[], context: LinksContext): Unseen[] {
  const { tree } = yaml;
  const at = (path: Path, message: string): Unseen[] => {
    const span = yaml.spanOf(path);
    return span ? [{ message, span }] : [];
  };
  const added = pluginsWithNodes(tree);
  return [
    ...(added.length === 0
      ? []
      : at(['plugin'], `nodes and links that the plugin ${added.join(', ')} may add`)),
    ...('_include' in tree ? at(['_include'], 'the content of other files') : []),
    ...('components' in tree ? at(['components'], 'components, which nodes can include') : []),
    ...emptyGroups(tree['links'], ['links'], context).flatMap((path) =>
      at(path, 'a map of nodes with a name, which is no link: write it as an item of a list'),
    ),
    ...disabled.flatMap(({ path }) => at(path, 'a disabled link')),
  ];
}

type NetlabLink = FoundTopology['links'][number] & Pick<FoundLink, 'inherited'>;

/**
 * Links, and other lists in their notation. Ends that are no nodes are kept: the check reports them.
 * A node with the role `bridge` joins the ends of a link that names it, or whose group does (netsim/roles/bridge.py).
 */
function readLinks(
  links: unknown,
  path: Path,
  { names, bridges, ...context }: LinksContext & { readonly bridges: ReadonlySet<string> },
): NetlabLink[] {
  return linksOf(links, path, { ...context, names }).map((link) => {
    const written = link.ends.map((end) => ({ ...end, interface: textOr(end.attributes['ifname']) ?? null }));
    const bridge = textOr(link.attributes['bridge']) ?? textOr(link.inherited['bridge']);
    return {
      ...link,
      written,
      names: written.map(({ name }) => name),
      ends: written.filter(({ name }) => names.has(name)),
      ...(bridge !== undefined && bridges.has(bridge) && { bridge }),
    };
  });
}

export function readNetlab(yaml: YamlText): FoundTopology {
  const { source, tree } = yaml;
  const entries = nodesOf(source);
  const groups = groupsOf(tree);
  const known = new Set(entries.map(({ name }) => name));
  const made = new Set(membersOf(tree));
  const named: Named[] = [
    ...entries,
    ...[...made].filter((name) => !known.has(name)).map((name) => ({ name, data: null, path: undefined })),
  ];
  const nodes = named.map((one) => ({ path: one.path, data: one.data, drawn: drawnNode(one, yaml, groups) }));
  const bridges = new Set(nodes.flatMap(({ drawn: { name, role } }) => (role === 'bridge' ? [name] : [])));
  const context = { source, names: new Set(named.map(({ name }) => name)), bridges };
  const found = linkLists(tree).flatMap((list) => readLinks(list.links, list.path, context));
  const disabled = found.filter(isDisabled);
  // Their other attributes are no attributes of links.
  const sessions = readLinks(yaml.valueAt(sessionsPath), sessionsPath, context).map((one) => ({
    ...one,
    names: one.ends.map(({ name }) => name),
  }));
  return {
    nodes,
    links: found.filter((link) => !isDisabled(link)),
    others: [...disabled, ...sessions],
    groups,
    unseen: unseenIn(yaml, disabled, context),
  };
}
