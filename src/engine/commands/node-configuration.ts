/** The output of `lab collect` for a node: the output of `ip -j` (iproute2) as one document and as text. */
import type { NodeRecord } from '../state/node-records.ts';

interface IpAddress {
  readonly local: string;
  readonly prefixlen: number;
  readonly scope: string;
}

interface IpInterface {
  readonly ifname: string;
  readonly operstate: string;
  readonly mtu: number;
  readonly address?: string;
  readonly addr_info: readonly IpAddress[];
}

interface IpRoute {
  /** For example `unreachable`; absent for an ordinary route. */
  readonly type?: string;
  readonly dst: string;
  readonly gateway?: string;
  readonly dev?: string;
  readonly prefsrc?: string;
}

interface IpNeighbour {
  readonly dst: string;
  readonly dev: string;
  readonly lladdr?: string;
  readonly state: readonly string[];
}

/** The members hold the unchanged output of `ip -j`. */
export interface NodeConfiguration {
  readonly node: string;
  readonly device: string;
  readonly role: string;
  readonly interfaces: readonly IpInterface[];
  readonly routes: readonly IpRoute[];
  readonly neighbours: readonly IpNeighbour[];
  readonly sysctls: Readonly<Record<string, string>>;
}

/** `ip -j` prints an empty list as `[]`, or prints nothing. */
function list(text: string | undefined): readonly unknown[] {
  const trimmed = text?.trim() ?? '';
  return trimmed === '' ? [] : (JSON.parse(trimmed) as readonly unknown[]);
}

/** Lines `net/ipv4/ip_forward:1`, as `grep` prints them, by the names that sysctl(8) uses. */
function settings(text: string | undefined): Record<string, string> {
  const lines = (text ?? '').split('\n').filter((line) => line.includes(':'));
  const pairs = lines.map((line): [string, string] => {
    const colon = line.lastIndexOf(':');
    return [line.slice(0, colon).replaceAll('/', '.'), line.slice(colon + 1)];
  });
  return Object.fromEntries(pairs);
}

/**
 * `printed` holds, between lines of dashes, `ip -j` of addresses, IPv4 and IPv6 routes, neighbours; then the sysctls.
 */
export function parseConfiguration(
  node: Pick<NodeRecord, 'name' | 'device' | 'role'>,
  printed: string,
): NodeConfiguration {
  const [interfaces, routes4, routes6, neighbours, sysctls] = printed.split(/^---\n/m);
  return {
    node: node.name,
    device: node.device,
    role: node.role,
    interfaces: list(interfaces) as readonly IpInterface[],
    routes: [...list(routes4), ...list(routes6)] as readonly IpRoute[],
    neighbours: list(neighbours) as readonly IpNeighbour[],
    sysctls: settings(sysctls),
  };
}

function interfaceLines(entry: IpInterface): string[] {
  const { ifname, operstate, mtu, address } = entry;
  const addresses = entry.addr_info.map(
    (info) => `  address ${info.local}/${info.prefixlen}${info.scope === 'link' ? ' (link-local)' : ''}`,
  );
  const hardware = address === undefined ? [] : [`  mac ${address}`];
  return [
    `interface ${ifname}`,
    `  state ${operstate.toLowerCase()}`,
    `  mtu ${mtu}`,
    ...hardware,
    ...addresses,
    '!',
  ];
}

function routeLine({ type, dst, gateway, dev }: IpRoute): string {
  if (type !== undefined) return `route ${type} ${dst}`;
  return `route ${dst}${gateway === undefined ? '' : ` via ${gateway}`} dev ${dev ?? '-'}`;
}

/** The text for readers, similar to the configuration of a router. */
export function configurationText(configuration: NodeConfiguration): string {
  const { node, device, role, interfaces, routes, neighbours, sysctls } = configuration;
  const lines = [
    `! node ${node}, device ${device}, ${role}`,
    '!',
    ...interfaces.flatMap(interfaceLines),
    ...routes.map(routeLine),
    '!',
    ...neighbours.map(
      ({ dst, dev, lladdr, state }) =>
        `neighbour ${dst} dev ${dev} ${lladdr ?? '-'} ${state.join(',').toLowerCase()}`,
    ),
    '!',
    ...Object.entries(sysctls).map(([name, value]) => `sysctl ${name} = ${value}`),
  ];
  return `${lines.join('\n')}\n`;
}
