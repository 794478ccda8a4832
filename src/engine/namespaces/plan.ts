/**
 * A lab as commands: what `up` runs, and what `up --dry-run` prints. Pure. Both ends of a link are made right in their
 * namespaces, so nothing ever shows in the root namespace, and a name is only as long as `eth1`.
 */
import type { Lab, LabLink, LabNode } from '../core/model.ts';
import { nodeNamespace, switchNamespace } from '../core/names.ts';

/** Lines for one `ip -batch`: one process however large the lab is. */
export interface BatchPhase {
  readonly kind: 'batch';
  readonly title: 'namespaces' | 'links';
  readonly lines: readonly string[];
}

/** Shell commands, each complete by itself; they may run side by side. */
export interface ScriptPhase {
  readonly kind: 'scripts';
  readonly title: 'nodes';
  readonly scripts: readonly string[];
}

export type Phase = BatchPhase | ScriptPhase;

/** Every namespace of the lab: one for each node, and one for its bridges when it needs any. */
export function namespacesOf(lab: Lab): string[] {
  const nodes = lab.nodes.map((node) => nodeNamespace(lab.instance, node.name));
  return lab.links.some(needsSwitch) ? [...nodes, switchNamespace(lab.instance)] : nodes;
}

function needsSwitch(link: LabLink): boolean {
  return link.ends.length !== 2;
}

const bridgeName = (link: LabLink): string => `br${link.linkIndex}`;
const portName = (link: LabLink, index: number): string => `l${link.linkIndex}e${index + 1}`;

function linkLines(lab: Lab, link: LabLink): string[] {
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
      `link add ${end.ifname} netns ${at(end.node)} type veth peer name ${portName(link, index)} netns ${hub}`,
  );
  return [...bridge, ...ports];
}

/** A stub has a far end as well, so that its interface has a carrier; not every kernel has `dummy` interfaces. */
function switchLines(link: LabLink): string[] {
  const isBridge = link.ends.length > 2;
  const ports = link.ends.map((_, index) => portName(link, index));
  const joined = ports.map((port) => `link set ${port}${isBridge ? ` master ${bridgeName(link)}` : ''} up`);
  return isBridge ? [`link set ${bridgeName(link)} up`, ...joined] : joined;
}

/** Runs shell commands and a batch inside a namespace; `nsenter`, because `ip netns exec` copies every mount. */
function insideNamespace(namespace: string, commands: readonly string[], batch: readonly string[]): string {
  return [
    `nsenter --net=/run/netns/${namespace} sh -eu <<'EOF' || { echo 'cannot configure ${namespace}' >&2; exit 1; }`,
    ...commands,
    "exec ip -batch - <<'END'",
    ...batch,
    'END',
    'EOF',
  ].join('\n');
}

/** The lines for `ip -batch` that a phase has for a namespace. */
export function batchOf(phase: ScriptPhase, namespace: string): string[] {
  const script = phase.scripts.find((text) => text.startsWith(`nsenter --net=/run/netns/${namespace} `));
  return script?.split("<<'END'\n", 2)[1]?.split('\n') ?? [];
}

const ipv4 = '/proc/sys/net/ipv4';
const ipv6 = '/proc/sys/net/ipv6';

/**
 * A new namespace takes over the IPv4 settings of the machine (Documentation/networking/ip-sysctl.rst,
 * devconf_inherit_init_net), and Docker turns forwarding on there: nothing is left to chance.
 * - ip_default_ttl: a packet's usual 64 hops end half-way in a line of 100 routers.
 * - rp_filter: with two ways out, an answer may come in where the filter does not expect it.
 * - accept_dad: an address is usable at once instead of a second later.
 */
function settingCommands(node: LabNode): string[] {
  const forwards = node.role === 'router' ? 1 : 0;
  const hasIpv6 = [node.loopback, ...node.interfaces].some((entry) => entry?.ipv6 !== undefined);
  const forIpv6 = [
    ...(hasIpv6 ? [`echo 0 >${ipv6}/conf/all/disable_ipv6`] : []),
    `echo ${forwards} >${ipv6}/conf/all/forwarding`,
    `for file in ${ipv6}/conf/*/accept_dad; do echo 0 >"$file"; done`,
  ];
  return [
    `echo ${forwards} >${ipv4}/ip_forward`,
    `echo 255 >${ipv4}/ip_default_ttl`,
    `for file in ${ipv4}/conf/*/rp_filter; do echo 0 >"$file"; done`,
    // A kernel without IPv6 is fine as long as the lab has none.
    ...(hasIpv6 ? forIpv6 : [`if [ -d ${ipv6} ]; then`, ...forIpv6, 'fi']),
  ];
}

function addressLines(ifname: string, addresses: { ipv4?: string; ipv6?: string } | null): string[] {
  return [addresses?.ipv4, addresses?.ipv6]
    .filter((address) => address !== undefined)
    .map((address) => `addr add ${address} dev ${ifname}`);
}

/** Above those of all other routes: the kernel gives IPv6 routes 256 and 1024, and IPv4 routes 0. */
const lastMetric = 65_535;

function nodeLines(node: LabNode): string[] {
  return [
    'link set lo up',
    ...addressLines('lo', node.loopback),
    ...node.interfaces.flatMap(({ ifname, ...addresses }) => [
      `link set ${ifname} up`,
      ...addressLines(ifname, addresses),
    ]),
    ...node.routes.map(({ to, via }) =>
      via === null ? `route add unreachable ${to} metric ${lastMetric}` : `route add ${to} via ${via}`,
    ),
  ];
}

/** Everything that makes the lab, in order. */
export function planUp(lab: Lab): Phase[] {
  const switched = lab.links.filter(needsSwitch);
  const hub = switchNamespace(lab.instance);
  const hubCommands = [
    `for file in ${ipv6}/conf/*/disable_ipv6; do [ ! -e "$file" ] || echo 1 >"$file"; done`,
  ];
  const hubScript = insideNamespace(hub, hubCommands, switched.flatMap(switchLines));
  const nodeScripts = lab.nodes.map((node) =>
    insideNamespace(nodeNamespace(lab.instance, node.name), settingCommands(node), nodeLines(node)),
  );
  return [
    { kind: 'batch', title: 'namespaces', lines: namespacesOf(lab).map((name) => `netns add ${name}`) },
    { kind: 'batch', title: 'links', lines: lab.links.flatMap((link) => linkLines(lab, link)) },
    {
      kind: 'scripts',
      title: 'nodes',
      scripts: switched.length > 0 ? [hubScript, ...nodeScripts] : nodeScripts,
    },
  ];
}

/** Removes these namespaces, and with them everything inside. */
export function planDown(namespaces: readonly string[]): BatchPhase {
  return { kind: 'batch', title: 'namespaces', lines: namespaces.map((name) => `netns del ${name}`) };
}

/** The phases as text for `sh`. */
export function renderPhases(phases: readonly Phase[]): string {
  const texts = phases.map((phase) => {
    if (phase.kind === 'scripts') return phase.scripts.join('\n');
    return phase.lines.length === 0 ? '' : ["ip -batch - <<'END'", ...phase.lines, 'END'].join('\n');
  });
  return texts
    .filter((text) => text !== '')
    .map((text) => `${text}\n`)
    .join('');
}
