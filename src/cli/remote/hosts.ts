/** `lab hosts`, and `lab host drain` and `forget`: the lab servers of a cluster. */
import type { Command } from 'commander';
import type { Host } from '../../client/api-types.ts';
import { endWith } from './ending.ts';
import { printJson, withOutput } from './jobs.ts';
import { clientFor, withServerOptions } from './server.ts';
import { asColumns, harmless, spokenDuration } from './tables.ts';

/** The known state of the host; an older service does not report its age. */
function stateOf({ state, stale = false, unreachable = null, seenSecondsAgo = 0 }: Partial<Host>): string {
  if (stale) return `? seen ${spokenDuration(seenSecondsAgo * 1000)} ago`;
  return unreachable === null || state === 'away' ? String(state) : `${state}, not reached`;
}

function rowOf(host: Host): string[] {
  const { name, capacity, running, queued, labs, labels, version, url } = host;
  const jobs = `${running}/${capacity}`;
  return [name, stateOf(host), jobs, queued, labs, labels.join(' '), version, url].map(harmless);
}

/** Behind the table, why it says what it says. */
function remarksOn(hosts: readonly Partial<Host>[]): string {
  const isStale = hosts.some(({ stale = false }) => stale);
  const why = hosts
    .filter(({ unreachable = null, state }) => unreachable !== null && state !== 'away')
    .map(({ name, url, unreachable }) => `${name} is not reached at ${url}: ${unreachable}`);
  const stale = 'Redis does not answer: it is unknown whether hosts with "?" are up';
  return [...(isStale ? [stale] : []), ...why].map((line) => `${harmless(line)}\n`).join('');
}

async function listHosts(output: 'table' | 'json', command: Command): Promise<void> {
  const hosts = await (await clientFor(command)).hosts.list();
  if (output === 'json') return printJson(hosts);
  const head = ['NAME', 'STATE', 'JOBS', 'WAITING', 'LABS', 'LABELS', 'VERSION', 'URL'];
  process.stdout.write(await asColumns(head, hosts.map(rowOf)));
  process.stderr.write(remarksOn(hosts));
}

export function addHostCommands(program: Command): void {
  withOutput(
    withServerOptions(program.command('hosts').description('list the lab servers of a cluster')),
  ).action(async ({ output }: { output: 'table' | 'json' }, command: Command) =>
    endWith(command, async () => listHosts(output, command)),
  );
  const host = program.command('host').description('manage a lab server of a cluster');
  withServerOptions(host.command('drain').description('stop placing new labs on a host; its labs continue'))
    .argument('<name>')
    .option('--off', 'place new labs on the host again')
    .action(async (name: string, { off }: { off?: boolean }, command: Command) =>
      endWith(command, async () => {
        const { state } = await (await clientFor(command)).hosts.drain(name, !off);
        process.stdout.write(`${harmless(name)} ${harmless(state)}\n`);
      }),
    );
  withServerOptions(host.command('forget').description('forget a host that is away and will not come back'))
    .argument('<name>')
    .action(async (name: string, _options: unknown, command: Command) =>
      endWith(command, async () => {
        await (await clientFor(command)).hosts.forget(name);
        process.stdout.write(`${harmless(name)} is forgotten\n`);
      }),
    );
}
