/** The places of a file where a node is named, besides its entry and its links. */
import { isMapping } from '../../../../../src/engine/topology/source.ts';
import type { Format } from './drawing.ts';
import type { ReadTopology } from './read-topology.ts';
import type { Path, YamlText } from './yaml-text.ts';

interface Edited {
  readonly yaml: YamlText;
  readonly topology: ReadTopology;
}

export interface NameList {
  readonly path: Path;
  /** Items that are no text are empty. */
  readonly names: readonly string[];
  readonly isGroup: boolean;
  /** One name without a list. */
  readonly isText: boolean;
}

/** The lists from which a removed node disappears: the members of groups, and the nodes of tests. */
export function nameLists({ yaml, topology }: Edited): NameList[] {
  const tests = yaml.format === 'netlab' ? yaml.valueAt(['validate']) : undefined;
  const testPaths = isMapping(tests) ? Object.keys(tests).map((name) => ['validate', name, 'nodes']) : [];
  const paths = [
    ...topology.groups.map(({ path }) => ({ path, isGroup: true })),
    ...testPaths.map((path) => ({ path, isGroup: false })),
  ];
  return paths.flatMap(({ path, isGroup }): NameList[] => {
    const list = yaml.valueAt(path);
    if (typeof list === 'string') return [{ path, names: [list], isGroup, isText: true }];
    if (!Array.isArray(list)) return [];
    const names = (list as unknown[]).map((item) => (typeof item === 'string' ? item : ''));
    return [{ path, names, isGroup, isText: false }];
  });
}

/**
 * Where a text is the name of a node, by its keys; `#` is an index. Of netlab: the attributes of the type `node_id`. Of containerlab:
 * `types/stages.go`.
 */
const nameKeys: Readonly<Record<Format, RegExp>> = {
  netlab: new RegExp(
    [
      String.raw`(?:^|/)routing/(?:static|acl)/(?:.+/)?node(?:/#)?$`,
      String.raw`^bgp/(?:as_list/[^/]+/(?:members|rr)|rr_list)(?:/#)?$`,
      String.raw`/dhcp/server(?:/#)?$`,
      String.raw`(?:^|/)services/(?:dns|syslog)/server(?:/#)?$`,
      String.raw`/clab/start_after(?:/#)?$`,
      String.raw`/clab/stages/[^/]+/wait-for/#/node$`,
      String.raw`^multiserver/(?:servers/[^/]+/members|replicate)(?:/#)?$`,
    ].join('|'),
  ),
  containerlab: /^topology\/(?:defaults|(?:nodes|kinds|groups)\/[^/]+)\/stages\/[^/]+\/wait-for\/#\/node$/,
};

/** Where a text is `container:` and the name of a node (containerlab's `core/clab.go`, `resolvePidMode`). */
const containerKeys: Readonly<Record<Format, RegExp>> = {
  netlab: /\/clab\/network-mode$/,
  containerlab: /^topology\/(?:defaults|(?:nodes|kinds|groups)\/[^/]+)\/(?:network|pid)-mode$/,
};

/** A link, or a group of links, whose network is a node with the role `bridge`. */
const bridgeKeys = /^(?:(?:vlans|vrfs)\/[^/]+\/)?links\/(?:[^/]+\/)*?#\/(?:members\/#\/)?bridge$/;

interface FoundText {
  readonly path: Path;
  readonly text: string;
}

/** All texts among the values, with their paths. */
function textsIn(value: unknown, path: Path = []): FoundText[] {
  if (typeof value === 'string') return [{ path, text: value }];
  if (Array.isArray(value))
    return (value as unknown[]).flatMap((item, index) => textsIn(item, [...path, index]));
  return isMapping(value)
    ? Object.entries(value).flatMap(([key, inner]) => textsIn(inner, [...path, key]))
    : [];
}

const keysIn = (path: Path): string => path.map((key) => (typeof key === 'number' ? '#' : key)).join('/');

/** The attributes `bridge` that name a node. */
export function bridgePaths(name: string, { yaml, topology }: Edited): Path[] {
  const isBridge = topology.nodes.some(({ drawn }) => drawn.name === name && drawn.role === 'bridge');
  if (!isBridge || yaml.format !== 'netlab') return [];
  return textsIn(yaml.tree).flatMap(({ path, text }) =>
    text === name && bridgeKeys.test(keysIn(path)) ? [path] : [],
  );
}

/** The components of netlab have nodes of their own. */
const isOwn = (path: Path): boolean => path[0] !== 'components';

/** The single names of a node, with the text that replaces each one when the name is `to`. */
export function renamedTexts(
  { name, to }: { readonly name: string; readonly to: string },
  edited: Edited,
): FoundText[] {
  const { tree, format } = edited.yaml;
  const texts = textsIn(tree).flatMap(({ path, text }): FoundText[] => {
    if (!isOwn(path)) return [];
    if (text === name && nameKeys[format].test(keysIn(path))) return [{ path, text: to }];
    const isShared = text === `container:${name}` && containerKeys[format].test(keysIn(path));
    return isShared ? [{ path, text: `container:${to}` }] : [];
  });
  return [...texts, ...bridgePaths(name, edited).map((path) => ({ path, text: to }))];
}
