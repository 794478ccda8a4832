/** `lab du`: what uses the disk of a server. */
import type { Command } from 'commander';
import type { DiskUse } from '../../client/api-types.ts';
import { formatSize } from '../../lib/text/size.ts';
import { endWith } from './ending.ts';
import { printJson, withOutput } from './jobs.ts';
import { clientFor, withServerOptions } from './server.ts';
import { asColumns, harmless } from './tables.ts';

interface DuOptions {
  readonly output: 'table' | 'json';
  readonly host?: string;
}

const sizeText = (bytes: number | null): string => (bytes === null ? 'unknown' : formatSize(bytes));

/** The tables that have rows, with empty lines between them. */
async function tablesOf(use: DiskUse): Promise<string> {
  const tables: readonly (readonly [readonly string[], readonly (readonly unknown[])[]])[] = [
    [
      ['DIRECTORY', 'FREE', 'OF'],
      use.fileSystems.map(({ directory, free, total }) => [directory, sizeText(free), sizeText(total)]),
    ],
    [
      ['KIND', 'SIZE'],
      use.kinds.map(({ kind, size, partial }) => [kind, `${partial ? 'over ' : ''}${sizeText(size)}`]),
    ],
    [
      ['USER', 'JOBS', 'WORKSPACES'],
      use.users.map(({ user, jobs, workspaces }) => [user ?? '-', sizeText(jobs), sizeText(workspaces)]),
    ],
    [
      ['WORKSPACE', 'OWNER', 'SIZE'],
      use.largestWorkspaces.map(({ name, owner, size }) => [name, owner ?? '-', sizeText(size)]),
    ],
    [
      ['JOB', 'ACTION', 'USER', 'SIZE'],
      use.largestJobs.map(({ id, action, requestedBy, size }) => [
        id,
        action,
        requestedBy ?? '-',
        sizeText(size),
      ]),
    ],
  ];
  const filled = tables.filter(([, rows]) => rows.length > 0);
  const texts = filled.map(async ([head, rows]) =>
    asColumns(
      head,
      rows.map((row) => row.map(harmless)),
    ),
  );
  return (await Promise.all(texts)).join('\n');
}

/** Behind the tables, how complete they are. */
function remarkOn({ unmeasuredWorkspaces: count }: DiskUse): string {
  if (!(count > 0)) return '';
  return count === 1
    ? '1 workspace counts as empty: it is not measured yet\n'
    : `${harmless(count)} workspaces count as empty: they are not measured yet\n`;
}

async function printUse({ output, host }: DuOptions, command: Command): Promise<void> {
  const use = await (await clientFor(command)).diskUse({ host });
  if (output === 'json') return printJson(use);
  process.stdout.write(await tablesOf(use));
  process.stderr.write(remarkOn(use));
}

export function addDiskCommand(program: Command): void {
  withOutput(
    withServerOptions(
      program
        .command('du')
        .description('show what uses the disk of a lab-api server, by kind and user, and what is largest'),
    ),
  )
    .option('--host <name>', 'host of a cluster; default: the one that answers')
    .action(async (options: DuOptions, command: Command) =>
      endWith(command, async () => printUse(options, command)),
    );
}
