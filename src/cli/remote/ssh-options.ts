/** Options of ssh_config(5) for nodes of a lab on a server. */
import { realpathSync } from 'node:fs';
import type { Command } from 'commander';
import { UnexpectedReply } from '../../client/service-error.ts';
import { shellWord } from '../../lib/text/shell-word.ts';
import { serverWords } from './server.ts';

/** A name and a value. */
export type SshOption = readonly [string, string];

/** As the SSH gateway and the inventories call a lab: without its host in a cluster. */
export const plainLabOf = (lab: string): string => lab.replace(/(?<=.)@[^@]*$/, '');

/** The nodes with a `Host` in an inventory for ssh(1), as their hosts: `r1.default`. */
export function hostsIn(inventory: string, lab: string): readonly string[] {
  const hosts = [...inventory.matchAll(/^Host ([A-Za-z0-9_][\w.-]*)$/gm)].map(([, host = '']) => host);
  return hosts.filter((host) => host.endsWith(`.${plainLabOf(lab)}`));
}

/** ssh(1) replaces what begins with `%`. */
const literal = (words: readonly string[]): string =>
  words.map((word) => shellWord(word).replaceAll('%', '%%')).join(' ');

/** Comments, and the lines that the service writes of a node, without its ProxyCommand. */
const plainLine = /^(?:#.*| {2}HostName [\w.:-]+| {2}Port \d+| {2}User [\w.-]+|)$/;

/**
 * An inventory for ssh(1) without its ProxyCommands. Users put it into their configuration, where other options could run programs,
 * and other hosts could take the place of theirs.
 * @throws UnexpectedReply for a line that the service would not write.
 */
export function plainInventory(inventory: string, lab: string): string {
  const hosts = new Set(hostsIn(inventory, lab).map((host) => `Host ${host}`));
  const lines = inventory.split('\n').filter((line) => !line.startsWith('  ProxyCommand '));
  if (lines.every((line) => plainLine.test(line) || hosts.has(line))) return lines.join('\n');
  throw new UnexpectedReply('the reply is not an inventory for ssh');
}

/** This very program, by absolute paths: ssh(1) accepts no others for KnownHostsCommand. */
const ownWords = (): string[] => [process.execPath, realpathSync(process.argv[1] ?? ''), 'ssh'];

/** The way over the WebSocket of the service. `node` is a name, or `%n` for the one that ssh(1) was given. */
export function proxyOption(command: Command, lab: string, node: string): SshOption {
  const words = literal([...ownWords(), '--stdio', ...serverWords(command), '--', lab]);
  return ['ProxyCommand', `${words} ${node === '%n' ? node : literal([node])}`];
}

/** The line of `GET /labs/{id}/inventory` that tells the key of the gateway. */
const keyLine = /^# Host key: ([a-z0-9-]+ [A-Za-z0-9+/]+=*)$/m;

/**
 * Accepts the key that the service has told in `inventory`, and no other one. OpenSSH 8.5 and newer; the program prints a line as
 * known_hosts(5) has it, and has to be an absolute path.
 */
export function pinOptions(inventory: string): readonly SshOption[] {
  const [, key] = keyLine.exec(inventory) ?? [];
  if (key === undefined) return [];
  return [
    ['KnownHostsCommand', `/bin/echo "* ${key}"`],
    ['UserKnownHostsFile', '/dev/null'],
    ['GlobalKnownHostsFile', '/dev/null'],
    ['StrictHostKeyChecking', 'yes'],
  ];
}
