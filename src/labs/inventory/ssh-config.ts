/** The nodes of a lab for ssh_config(5). */
import { shellWord } from '../../lib/text/shell-word.ts';
import { commentsOf, type GatewayAddress, type Inventory } from './inventory.ts';

/** The way to the nodes. */
export type SshWay =
  | ({ readonly kind: 'gateway' } & GatewayAddress)
  /** The WebSocket of the service at this URL, by `lab ssh --stdio`. */
  | { readonly kind: 'proxy'; readonly host: string; readonly url: string };

/** ssh(1) replaces what begins with `%`, and gives the rest to a shell. */
function proxyCommand(url: string, ...nodeInLab: readonly [string, string]): string {
  const words = ['lab', 'ssh', '--stdio', '--server', url, ...nodeInLab];
  return words.map((word) => shellWord(word).replaceAll('%', '%%')).join(' ');
}

/** One `Host` for each node: `ssh r1.7`. Their names are plain (`inventoryOf`); so must the host be. */
export function sshConfig(inventory: Inventory, way: SshWay): string {
  const { lab, nodes } = inventory;
  const blocks = nodes.map(({ name, user }) => {
    const reach =
      way.kind === 'gateway' ? `Port ${way.port}` : `ProxyCommand ${proxyCommand(way.url, lab, name)}`;
    const lines = [`HostName ${way.host}`, reach, `User ${user}`].map((line) => `  ${line}\n`);
    return `Host ${user}\n${lines.join('')}`;
  });
  return [commentsOf(inventory), ...blocks].join('\n');
}
