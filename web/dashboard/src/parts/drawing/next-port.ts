/** Names of interfaces for new links of containerlab. */
import type { ReadTopology } from './read-topology.ts';

/** The first interface of kinds whose interfaces are not named `eth1`. */
const firstPorts: Readonly<Record<string, string>> = {
  nokia_srlinux: 'e1-1',
  srl: 'e1-1',
  nokia_sros: '1/1/1',
  cisco_xrd: 'Gi0-0-0-0',
  xrd: 'Gi0-0-0-0',
};

/** `used` are the ends of links, such as `r1:eth1`. The name continues those of the other interfaces of the node. */
export function nextPort(node: string, used: readonly string[], { nodes }: ReadTopology): string {
  const kind = nodes.find(({ drawn }) => drawn.name === node)?.drawn;
  // The interfaces of a bridge are on the server itself, where their names must be its own.
  const first =
    kind?.role === 'bridge' ? `${node.slice(0, 11)}-1` : (firstPorts[kind?.device ?? ''] ?? 'eth1');
  const own = used.flatMap((end) => (end.startsWith(`${node}:`) ? [end.slice(node.length + 1)] : []));
  const [, stem = '', digits = '1'] = /^(.*?)(\d+)$/.exec(own.at(-1) ?? first) ?? [];
  for (let nr = own.length === 0 ? Number(digits) : Number(digits) + 1; ; nr += 1)
    if (!own.includes(`${stem}${nr}`)) return `${stem}${nr}`;
}
