/** The commands that make the network namespaces of a container lab, and the links between them. */
import { switchNamespace } from '../core/namespace-names.ts';
import type { BatchPhase, Phase } from '../namespaces/phases.ts';
import type { ContainerEnd, ContainerLab, ContainerNode } from './lab-file.ts';

const bridgeName = 'mgmt';

/** containerlab gives its links this MTU; netlab then sets that of the devices. */
const mtu = 'mtu 9500';

const hasManagement = (lab: ContainerLab): boolean =>
  lab.nodes.some(({ management: { ipv4, ipv6 } }) => ipv4 !== undefined || ipv6 !== undefined);

const isStub = (link: readonly ContainerEnd[]): boolean => link.length === 1;

const needsSwitch = (lab: ContainerLab): boolean => hasManagement(lab) || lab.links.some(isStub);

/** The interfaces of a node that are ends of links. */
export function linkInterfaces({ links }: ContainerLab, { name }: ContainerNode): readonly string[] {
  const ends = links.flat().filter((end) => end.node === name);
  return ends.map(({ ifname }) => ifname);
}

/** All interfaces that `phasesOf` makes for a node. */
export function madeInterfaces(lab: ContainerLab, node: ContainerNode): readonly string[] {
  return [...linkInterfaces(lab, node), ...(hasManagement(lab) ? ['eth0'] : [])];
}

/** All namespaces of the lab: one for each node, and one for the management network and the far ends of stubs. */
export function namespacesOf(lab: ContainerLab): string[] {
  const nodes = lab.nodes.map(({ container }) => container);
  return needsSwitch(lab) ? [...nodes, switchNamespace(lab.instance)] : nodes;
}

/** Why the links of the lab cannot be made; undefined when they can. */
export function problemOfLinks({ links }: ContainerLab): string | undefined {
  const used = new Set<string>();
  for (const { node, ifname, isBridge } of links.flat()) {
    const name = isBridge ? ifname : `${node}:${ifname}`;
    if (used.has(name) || (!isBridge && ['lo', 'eth0'].includes(ifname)))
      return `two links have the interface ${name}, or the system has it itself`;
    used.add(name);
  }
  return undefined;
}

function linkLines(lab: ContainerLab, link: readonly ContainerEnd[], index: number): string[] {
  const container = new Map(lab.nodes.map((node) => [node.name, node.container]));
  /** A port of a bridge is in the current namespace, where netlab has made the bridge. */
  const place = ({ node, isBridge }: ContainerEnd): string =>
    isBridge ? '' : ` netns ${container.get(node)}`;
  const stubEnd = { node: '', ifname: `s${index}`, isBridge: false };
  const [first, second = stubEnd] = link;
  if (first === undefined) return [];
  const far = second === stubEnd ? ` netns ${switchNamespace(lab.instance)}` : place(second);
  return [
    `link add name ${first.ifname} ${mtu}${place(first)} type veth peer name ${second.ifname} ${mtu}${far}`,
    ...link.filter((end) => end.isBridge).map((end) => `link set dev ${end.ifname} master ${end.node} up`),
  ];
}

function managementLines(lab: ContainerLab): string[] {
  if (!hasManagement(lab)) return [];
  const hub = switchNamespace(lab.instance);
  return lab.nodes.map(
    ({ container }, index) =>
      `link add name eth0 netns ${container} type veth peer name m${index} netns ${hub}`,
  );
}

function switchLines(lab: ContainerLab): string[] {
  const stubs = lab.links.flatMap((link, index) => (isStub(link) ? [`link set dev s${index} up`] : []));
  if (!hasManagement(lab)) return stubs;
  return [
    ...stubs,
    `link add ${bridgeName} type bridge`,
    `link set ${bridgeName} up`,
    ...(lab.gateway === undefined ? [] : [`addr add ${lab.gateway} dev ${bridgeName}`]),
    ...lab.nodes.map((_, index) => `link set m${index} master ${bridgeName} up`),
  ];
}

export function phasesOf(lab: ContainerLab): readonly [BatchPhase, ...Phase[]] {
  const namespaces = namespacesOf(lab).map((name) => `netns add ${name}`);
  const links = lab.links.flatMap((link, index) => linkLines(lab, link, index));
  const hub = { namespace: switchNamespace(lab.instance), commands: [], batch: switchLines(lab) };
  return [
    { kind: 'batch', title: 'namespaces', lines: namespaces },
    { kind: 'batch', title: 'links', lines: [...managementLines(lab), ...links] },
    ...(needsSwitch(lab) ? [{ kind: 'scripts', title: 'nodes', scripts: [hub] } as const] : []),
  ];
}
