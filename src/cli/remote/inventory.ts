/** `lab inventory` and `lab ssh-config`: the nodes of a lab on a server for the programs that work over SSH. */
import { Option, type Command } from 'commander';
import type { InventoryFormat } from '../../client/lab-api-client.ts';
import { harmlessTextLines } from '../../lib/text/harmless-text.ts';
import { endWith } from './ending.ts';
import { clientFor, withServerOptions } from './server.ts';
import { hostsIn, pinOptions, plainInventory, proxyOption } from './ssh-options.ts';

const formats = ['ansible', 'nornir', 'ssh-config'] as const satisfies readonly InventoryFormat[];

const print = (text: string): void => void process.stdout.write(harmlessTextLines(text));

/**
 * Of several values for an option, ssh(1) takes the first: this stands before the hosts of the service. It names each of them:
 * before OpenSSH 9.6, a pattern would also take a host with words for the shell in it, from a link or a submodule of git.
 */
function commonOptions(inventory: string, lab: string, isProxied: boolean, command: Command): string {
  const options = [
    ...(isProxied ? [proxyOption(command, lab, '%n'), ['PreferredAuthentications', 'none'] as const] : []),
    ...pinOptions(inventory),
  ];
  const hosts = hostsIn(inventory, lab);
  if (options.length === 0 || hosts.length === 0) return '';
  const lines = options.map(([name, value]) => `  ${name} ${value}\n`);
  return `Host ${hosts.join(' ')}\n${lines.join('')}\n`;
}

async function printSshConfig(lab: string, proxy: boolean, command: Command): Promise<void> {
  const inventory = await (await clientFor(command)).inventory(lab, { format: 'ssh-config', proxy });
  const isProxied = /^ {2}ProxyCommand /m.test(inventory);
  print(commonOptions(inventory, lab, isProxied, command) + plainInventory(inventory, lab));
}

export function addInventoryCommands(program: Command): void {
  withServerOptions(
    program
      .command('inventory')
      .description('print the nodes of a lab on a lab-api server for Ansible, Nornir or ssh'),
  )
    .argument('<lab>', 'id of the lab (see lab labs)')
    .addOption(
      new Option('--format <format>', 'the program that reads it').choices(formats).default('ansible'),
    )
    .action(async (lab: string, { format }: { readonly format: InventoryFormat }, command: Command) =>
      endWith(command, async () => {
        if (format === 'ssh-config') return printSshConfig(lab, false, command);
        print(await (await clientFor(command)).inventory(lab, { format }));
      }),
    );
  withServerOptions(
    program
      .command('ssh-config')
      .description('print the nodes of a lab on a lab-api server for ~/.ssh/config: then "ssh r1.default"'),
  )
    .argument('<lab>', 'id of the lab (see lab labs)')
    .option('--proxy', 'connect over the API, also where the server has no SSH gateway')
    .action(async (lab: string, { proxy = false }: { readonly proxy?: boolean }, command: Command) =>
      endWith(command, async () => printSshConfig(lab, proxy, command)),
    );
}
