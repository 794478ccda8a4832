/** `lab audit`: the requests that changed something or were refused. */
import type { Command } from 'commander';
import type { AuditRecord } from '../../client/api-types.ts';
import type { AuditQuery } from '../../client/filters.ts';
import { complain, endWith } from './ending.ts';
import { limitOf, printJson, withOutput } from './jobs.ts';
import { clientFor, withServerOptions } from './server.ts';
import { asColumns, harmless } from './tables.ts';

interface AuditOptions {
  readonly output: 'table' | 'json';
  readonly requestedBy?: string;
  readonly lab?: string;
  readonly action?: string;
  readonly since?: string;
  readonly until?: string;
  readonly refused?: true;
  readonly host?: string;
  readonly limit: string;
}

function queryOf({ requestedBy, lab, action, since, until, refused, host }: AuditOptions): AuditQuery {
  return { user: requestedBy, lab, action, since, until, refused, host };
}

/** The object of a request, the most telling first. */
const objects = [
  'job',
  'node',
  'snapshot',
  'lab',
  'workspace',
  'subject',
  'token',
  'session',
  'file',
  'workdir',
  'path',
] as const;

/** The name of a node alone does not tell which node it is, and the id of a job not what it did. */
function aboutOf(record: AuditRecord): string {
  const object = objects.find((name) => record[name] !== undefined);
  if (object === undefined) return '-';
  const ofLab =
    (object === 'node' || object === 'job') && record.lab !== undefined ? ` of lab ${record.lab}` : '';
  const { shares } = record;
  const withWhom = shares === undefined ? '' : `, shared with ${shares || 'none'}`;
  return `${object} ${record[object]}${ofLab}${withWhom}`;
}

function rowOf(record: AuditRecord): readonly unknown[] {
  const { time, user, address, operation, action, event, count, status, error } = record;
  const act = operation ?? event;
  return [
    time,
    user ?? '-',
    address ?? '-',
    action === undefined ? act : `${act} ${action}`,
    aboutOf(record),
    [error ?? status ?? (event === 'opened' ? event : '-'), count && `(${count})`].filter(Boolean).join(' '),
  ];
}

async function printAudit(options: AuditOptions, command: Command): Promise<void> {
  const most = limitOf(options.limit);
  const found: AuditRecord[] = [];
  const client = await clientFor(command);
  for await (const record of client.audit(queryOf(options))) if (found.push(record) > most) break;
  const shown = found.slice(0, most);
  if (options.output === 'json') return printJson(shown);
  if (shown.length === 0) return complain('no requests');
  const rows = shown.map((record) => rowOf(record).map(harmless));
  const head = ['TIME', 'USER', 'ADDRESS', 'REQUEST', 'ABOUT', 'OUTCOME'];
  process.stdout.write(await asColumns(head, rows));
  if (found.length > most) complain(`there are more: --limit shows more than the newest ${most}`);
}

export function addAuditCommand(program: Command): void {
  withOutput(
    withServerOptions(
      program
        .command('audit')
        .description('list the requests that changed something or were refused, newest first'),
    ),
  )
    .option('--requested-by <user>', 'only requests of this user')
    .option('--lab <id>', 'only requests about this lab instance')
    .option(
      '--action <name>',
      'only jobs with this action, or requests with this operationId: up, removeUser',
    )
    .option('--since <time>', 'only requests since then: 2026-01-31T12:00:00Z, 2026-01-31, 24h, 7d')
    .option('--until <time>', 'only requests before that time')
    .option('--refused', 'only requests that got an error')
    .option('--limit <number>', 'maximum number of requests', '20')
    .option('--host <name>', 'host of a cluster; default: the one that answers')
    .action(async (options: AuditOptions, command: Command) =>
      endWith(command, async () => printAudit(options, command)),
    );
}
