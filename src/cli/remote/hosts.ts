/** `lab hosts`, and `lab host drain` and `forget`: the lab servers of a cluster. */
import type { Command } from 'commander';
import type { Host } from '../../client/api-types.ts';
import { endWith } from './ending.ts';
import { printJson, withOutput } from './jobs.ts';
import { clientFor, withServerOptions } from './server.ts';
import { asColumns, harmless } from './tables.ts';

function rowOf({ name, state, capacity, running, queued, labs, labels, version, url }: Host): string[] {
  const jobs = `${running}/${capacity}`;
  return [name, state, jobs, queued, labs, labels.join(' '), version, url].map(harmless);
}

async function listHosts(output: 'table' | 'json', command: Command): Promise<void> {
  const hosts = await (await clientFor(command)).hosts.list();
  if (output === 'json') return printJson(hosts);
  const head = ['NAME', 'STATE', 'JOBS', 'WAITING', 'LABS', 'LABELS', 'VERSION', 'URL'];
  process.stdout.write(await asColumns(head, hosts.map(rowOf)));
}

export function addHostCommands(program: Command): void {
  withOutput(
    withServerOptions(program.command('hosts').description('list the lab servers of a cluster')),
  ).action(async ({ output }: { output: 'table' | 'json' }, command: Command) =>
    endWith(command, async () => listHosts(output, command)),
  );
  const host = program.command('host').description('a lab server of a cluster');
  withServerOptions(host.command('drain').description('have it take no new labs; what is there goes on'))
    .argument('<name>')
    .option('--off', 'have it take labs again')
    .action(async (name: string, { off }: { off?: boolean }, command: Command) =>
      endWith(command, async () => {
        const { state } = await (await clientFor(command)).hosts.drain(name, !off);
        process.stdout.write(`${harmless(name)} ${harmless(state)}\n`);
      }),
    );
  withServerOptions(host.command('forget').description('forget one that is away and will not come back'))
    .argument('<name>')
    .action(async (name: string, _options: unknown, command: Command) =>
      endWith(command, async () => {
        await (await clientFor(command)).hosts.forget(name);
        process.stdout.write(`${harmless(name)} is forgotten\n`);
      }),
    );
}
