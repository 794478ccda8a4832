/**
 * `namespaces/` makes and removes labs in the kernel. This file computes the work as a list of phases that run one
 * after the other, and prints them as text for `sh`: the output of `--dry-run`. It has no side effects; `run-phase.ts`
 * runs the phases. Both ends of a link are made inside their namespaces, so no interface appears in the namespace of
 * the machine, and interface names stay as short as `eth1`.
 */
import type { Lab, LabInterface, LabLink, LabNode, Route } from '../core/lab.ts';
import { nodeNamespace, switchNamespace } from '../core/namespace-names.ts';

/** Lines for one `ip -batch`: a single process for a lab of any size. */
export interface BatchPhase {
  readonly kind: 'batch';
  readonly title: 'namespaces' | 'links';
  readonly lines: readonly string[];
}

/** The work inside one namespace: the shell commands first, then the lines for `ip -batch`. */
export interface NamespaceScript {
  readonly namespace: string;
  readonly commands: readonly string[];
  readonly batch: readonly string[];
}

/** Independent scripts, which can run in parallel. */
export interface ScriptPhase {
  readonly kind: 'scripts';
  readonly title: 'nodes';
  readonly scripts: readonly NamespaceScript[];
}

export type Phase = BatchPhase | ScriptPhase;

/** All namespaces of the lab: one for each node, and one for the bridges if the lab has any. */
export function namespacesOf(lab: Lab): string[] {
  const nodes = lab.nodes.map((node) => nodeNamespace(lab.instance, node.name));
  return lab.links.some(needsSwitch) ? [...nodes, switchNamespace(lab.instance)] : nodes;
}

function needsSwitch(link: LabLink): boolean {
  return link.ends.length !== 2;
}

const bridgeName = (link: LabLink): string => `br${link.linkIndex}`;
const portName = (link: LabLink, index: number): string => `l${link.linkIndex}e${index + 1}`;

/**
 * The MTU of bridge ports in labs with large packets. A port drops packets that exceed its MTU, which is 1,500 bytes
 * by default.
 */
function portMtuIn(lab: Lab): string {
  const isLarge = lab.nodes.some(({ interfaces }) => interfaces.some(({ mtu = 0 }) => mtu > 1_500));
  return isLarge ? ' mtu 9216' : '';
}

function linkLines(lab: Lab, link: LabLink, portMtu: string): string[] {
  const at = (node: string): string => nodeNamespace(lab.instance, node);
  const [first, second] = link.ends;
  if (first !== undefined && second !== undefined && !needsSwitch(link)) {
    const peer = `peer name ${second.ifname} netns ${at(second.node)}`;
    return [`link add ${first.ifname} netns ${at(first.node)} type veth ${peer}`];
  }
  const hub = switchNamespace(lab.instance);
  const bridge = link.ends.length > 2 ? [`link add ${bridgeName(link)} netns ${hub} type bridge`] : [];
  const ports = link.ends.map(
    (end, index) =>
      `link add ${end.ifname} netns ${at(end.node)} type veth peer name ${portName(link, index)}${portMtu} netns ${hub}`,
  );
  return [...bridge, ...ports];
}

/**
 * The commands that attach the ports of a link to its bridge. A stub also gets a port without a bridge: the port
 * gives the interface of the node a carrier, and some kernels have no `dummy` interfaces.
 */
function switchLines(link: LabLink): string[] {
  const isBridge = link.ends.length > 2;
  const ports = link.ends.map((_, index) => portName(link, index));
  const joined = ports.map((port) => `link set ${port}${isBridge ? ` master ${bridgeName(link)}` : ''} up`);
  return isBridge ? [`link set ${bridgeName(link)} up`, ...joined] : joined;
}

const ipv4 = '/proc/sys/net/ipv4';
const ipv6 = '/proc/sys/net/ipv6';

/**
 * Sets every sysctl that matters, because a new namespace inherits the IPv4 settings of the machine
 * (Documentation/networking/ip-sysctl.rst, devconf_inherit_init_net), and Docker turns forwarding on there.
 * - ip_default_ttl: with the usual 64 hops, a packet would not cross a line of 100 routers.
 * - rp_filter: a node with two ways out may get an answer on the interface where the filter does not expect it.
 * - accept_dad: without duplicate address detection, an IPv6 address is usable at once instead of a second later.
 *
 * Writing `conf/default` before the links exist would avoid the two loops. But that takes one more process for each
 * node, which costs several times as much as the loops.
 */
function settingCommands(node: LabNode): string[] {
  const forwards = node.role === 'router' ? 1 : 0;
  const hasIpv6 =
    [node.loopback, ...node.interfaces].some((entry) => entry?.ipv6 !== undefined) ||
    node.interfaces.some(({ unnumbered }) => unnumbered?.includes('ipv6'));
  const forIpv6 = [
    ...(hasIpv6 ? [`echo 0 >${ipv6}/conf/all/disable_ipv6`] : []),
    `echo ${forwards} >${ipv6}/conf/all/forwarding`,
    `for file in ${ipv6}/conf/*/accept_dad; do echo 0 >"$file"; done`,
  ];
  return [
    `echo ${forwards} >${ipv4}/ip_forward`,
    `echo 255 >${ipv4}/ip_default_ttl`,
    `for file in ${ipv4}/conf/*/rp_filter; do echo 0 >"$file"; done`,
    // A kernel without IPv6 works as long as the lab has no IPv6 addresses.
    ...(hasIpv6 ? forIpv6 : [`if [ -d ${ipv6} ]; then`, ...forIpv6, 'fi']),
  ];
}

function addressLines(ifname: string, addresses: { ipv4?: string; ipv6?: string } | null): string[] {
  return [addresses?.ipv4, addresses?.ipv6]
    .filter((address) => address !== undefined)
    .map((address) => `addr add ${address} dev ${ifname}`);
}

/**
 * Higher than the metric of any other route, so that this route has the lowest preference. The kernel's defaults are
 * 256 and 1024 (IPv6) and 0 (IPv4).
 */
const lastMetric = 65_535;

/**
 * Gives unnumbered interfaces the address of the loopback, with full prefix length. IPv4 does not need it, but an
 * IPv6 node answers for an address only on an interface that has the address.
 */
function borrowedLines({ ifname, unnumbered = [] }: LabInterface, { loopback }: LabNode): string[] {
  return unnumbered.flatMap((family) => {
    const address = loopback?.[family]?.split('/')[0];
    return address === undefined ? [] : [`addr add ${address}/${family === 'ipv4' ? 32 : 128} dev ${ifname}`];
  });
}

/** `onlink`: the next hop is in none of the networks of the node. */
function routeLine({ to, via, dev }: Route): string {
  if (via === null) return `route add unreachable ${to} metric ${lastMetric}`;
  return `route add ${to} via ${via}${dev === undefined ? '' : ` dev ${dev} onlink`}`;
}

function nodeLines(node: LabNode): string[] {
  return [
    'link set lo up',
    ...addressLines('lo', node.loopback),
    ...node.interfaces.flatMap((each) => [
      `link set ${each.ifname}${each.mtu === undefined ? '' : ` mtu ${each.mtu}`} up`,
      ...addressLines(each.ifname, each),
      ...borrowedLines(each, node),
    ]),
    ...node.routes.map(routeLine),
  ];
}

/**
 * A bridge needs no address. With IPv6 on, it would create a link-local address and send packets into the links of
 * the lab.
 */
const switchCommands = [
  `for file in ${ipv6}/conf/*/disable_ipv6; do [ ! -e "$file" ] || echo 1 >"$file"; done`,
];

/** The phases that make the lab, in order. */
export function phasesOfUp(lab: Lab): Phase[] {
  const switched = lab.links.filter(needsSwitch);
  const portMtu = portMtuIn(lab);
  const nodeScripts = lab.nodes.map((node) => ({
    namespace: nodeNamespace(lab.instance, node.name),
    commands: settingCommands(node),
    batch: nodeLines(node),
  }));
  const switchScript = {
    namespace: switchNamespace(lab.instance),
    commands: switchCommands,
    batch: switched.flatMap(switchLines),
  };
  return [
    { kind: 'batch', title: 'namespaces', lines: namespacesOf(lab).map((name) => `netns add ${name}`) },
    { kind: 'batch', title: 'links', lines: lab.links.flatMap((link) => linkLines(lab, link, portMtu)) },
    {
      kind: 'scripts',
      title: 'nodes',
      scripts: switched.length > 0 ? [switchScript, ...nodeScripts] : nodeScripts,
    },
  ];
}

/** The phase that deletes these namespaces and everything inside them. */
export function phaseOfDown(namespaces: readonly string[]): BatchPhase {
  return { kind: 'batch', title: 'namespaces', lines: namespaces.map((name) => `netns del ${name}`) };
}

/** `nsenter`, because `ip netns exec` copies every mount. */
export function renderScript({ namespace, commands, batch }: NamespaceScript): string {
  return [
    `nsenter --net=/run/netns/${namespace} sh -eu <<'EOF' || { echo 'cannot configure ${namespace}' >&2; exit 1; }`,
    ...commands,
    "exec ip -batch - <<'END'",
    ...batch,
    'END',
    'EOF',
    '',
  ].join('\n');
}

function renderBatch({ lines }: BatchPhase): string {
  return lines.length === 0 ? '' : ["ip -batch - <<'END'", ...lines, 'END', ''].join('\n');
}

/** Every line ends with a line feed; a phase without commands is an empty text. */
export function renderPhases(phases: readonly Phase[]): string {
  const texts = phases.map((phase) =>
    phase.kind === 'scripts' ? phase.scripts.map(renderScript).join('') : renderBatch(phase),
  );
  return texts.join('');
}
