/** `lab quota`: how much a user of a server has, and may have. */
import type { Command } from 'commander';
import type { Quota } from '../../client/api-types.ts';
import { formatDuration } from '../../lib/text/duration.ts';
import { formatSize } from '../../lib/text/size.ts';
import { endWith } from './ending.ts';
import { printJson, withOutput } from './jobs.ts';
import { clientFor, withServerOptions } from './server.ts';
import { asColumns, harmless } from './tables.ts';

const barLength = 20;

interface QuotaOptions {
  readonly output: 'table' | 'json';
}

function barOf({ used, limit }: Quota): string {
  if (limit === null) return '';
  // Without any allowance, none of it is free.
  const share = limit === 0 ? 1 : Math.min(1, used / limit);
  const full = Math.round(share * barLength);
  return '█'.repeat(full) + '░'.repeat(barLength - full);
}

function rowOf(quota: Quota): string[] {
  const { kind, name, resource, used, limit } = quota;
  const isSize = resource === 'workspaceBytes';
  const text = (count: number): string => (isSize ? formatSize(count) : String(count));
  const limitText = limit === null ? '-' : text(limit);
  return [kind, name ?? '-', isSize ? 'workspaces' : resource, text(used), limitText, barOf(quota)].map(
    harmless,
  );
}

async function printQuotas(
  user: string | undefined,
  { output }: QuotaOptions,
  command: Command,
): Promise<void> {
  const reply = await (await clientFor(command)).quotas({ user });
  if (output === 'json') return printJson(reply);
  const head = ['KIND', 'NAME', 'RESOURCE', 'USED', 'LIMIT', ''];
  process.stdout.write(await asColumns(head, reply.quotas.map(rowOf)));
  const { maxLeaseSeconds } = reply;
  if (typeof maxLeaseSeconds === 'number')
    process.stdout.write(`a lab may run for ${formatDuration(maxLeaseSeconds * 1_000)}\n`);
}

export function addQuotaCommand(program: Command): void {
  withOutput(
    withServerOptions(
      program.command('quota').description('show how much you have on a lab-api server, and may have'),
    ),
  )
    .argument('[of]', 'another user: for administrators, and for the leaders of a group of the user')
    .action(async (user: string | undefined, options: QuotaOptions, command: Command) =>
      endWith(command, async () => printQuotas(user, options, command)),
    );
}
