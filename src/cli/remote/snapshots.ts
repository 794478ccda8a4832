/** `lab snapshot` and `lab diff`: labs that are kept on a server, started again and compared. */
import { randomBytes } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { InvalidArgumentError, type Command } from 'commander';
import type { Differences, RestoreRequest, Snapshot } from '../../client/api-types.ts';
import { hasEnded, type LabApiClient } from '../../client/lab-api-client.ts';
import { messageOf, systemCode } from '../../lib/app-error.ts';
import { isNothingAt } from '../../lib/files/exists.ts';
import { harmlessTextLines } from '../../lib/text/harmless-text.ts';
import { formatSize } from '../../lib/text/size.ts';
import { complain, endWith } from './ending.ts';
import { bytesOf } from './files.ts';
import { printJson, withOutput } from './jobs.ts';
import { clientFor, UsageError, withServerOptions } from './server.ts';
import { seconds } from './start-request.ts';
import { asColumns, harmless } from './tables.ts';

interface OutputOption {
  readonly output: 'table' | 'json';
}

interface HostOption {
  readonly host?: string;
}

export const hostWords = 'in a cluster: name or id of the host that has the snapshot';

/** How many nodes have something to say of the snapshot: a sentence for each. */
function tellIncomplete({ name, complete, nodes, leftOut, leftOutCount }: Snapshot): void {
  if (complete) return;
  for (const { node, kept, reason } of nodes)
    if (kept === 'failed') complain(`${name} has no configuration of ${node}: ${reason ?? ''}`);
  if (leftOutCount > 0) complain(`${name} is without ${leftOutCount} files, such as ${leftOut[0] ?? ''}`);
}

function rowOf({ name, lab, nodes, size, createdAt, owner, complete }: Snapshot): string[] {
  const kept = nodes.filter((one) => one.kept === 'configuration').length;
  const parts = `${kept}/${nodes.length}${complete ? '' : ' incomplete'}`;
  return [name, lab, parts, formatSize(size), createdAt, owner ?? '-'].map(harmless);
}

async function keep(lab: string, name: string, { output }: OutputOption, command: Command): Promise<number> {
  const snapshot = await (await clientFor(command)).snapshots.keep(lab, name);
  if (output === 'json') printJson(snapshot);
  else process.stdout.write(`${harmless(name)} has ${snapshot.files} files, ${formatSize(snapshot.size)}\n`);
  tellIncomplete(snapshot);
  return snapshot.complete ? 0 : 1;
}

/** Puts the file in its place when all of it is there: half of it is never seen. */
async function saveAs(file: string, reply: Response): Promise<void> {
  const beside = path.join(path.dirname(file), `.${path.basename(file)}.${randomBytes(4).toString('hex')}`);
  try {
    await writeFile(beside, bytesOf(reply), { flag: 'wx', mode: 0o600 });
    await rename(beside, file);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}

async function download(
  name: string,
  file: string | undefined,
  { host }: HostOption,
  command: Command,
): Promise<number> {
  const target = file ?? `${name}.tar.gz`;
  if (!(await isNothingAt(target))) throw new UsageError(`${target} exists: give another file`);
  const reply = await (await clientFor(command)).snapshots.download(name, { host });
  try {
    await saveAs(target, reply);
  } catch (error) {
    if (systemCode(error)?.startsWith('E') !== true) throw error;
    complain(`${target} cannot be written: ${messageOf(error)}`);
    return 1;
  }
  process.stdout.write(`${harmless(name)} is in ${target}\n`);
  return 0;
}

interface RestoreOptions extends OutputOption, HostOption {
  readonly workspace: string;
  readonly copies?: number;
  readonly replace?: boolean;
  readonly multilabId?: number | 'auto';
  readonly ttl?: string;
  readonly waitReady?: string;
  readonly wait?: boolean;
}

function requestOf({
  workspace,
  copies,
  replace,
  multilabId,
  ttl,
  waitReady,
}: RestoreOptions): RestoreRequest {
  if (copies !== undefined && (replace !== undefined || multilabId !== undefined))
    throw new UsageError(
      '--copies makes new workspaces, with free ids: leave out --replace and --multilab-id',
    );
  return {
    workspace,
    ...(copies !== undefined && { copies }),
    ...(replace !== undefined && { replace }),
    ...(multilabId !== undefined && { multilabId }),
    ...(ttl !== undefined && { ttlSeconds: seconds(ttl, '--ttl') }),
    ...(waitReady !== undefined && { waitReadySeconds: seconds(waitReady, '--wait-ready') }),
  };
}

async function restore(name: string, options: RestoreOptions, command: Command): Promise<number> {
  const client = await clientFor(command);
  const body = requestOf(options);
  const result = await client.snapshots.restore(name, body, { host: options.host });
  for (const warning of result.warnings) complain(warning);
  const jobs = result.labs.flatMap((lab) => lab.jobs.map((job) => ({ ...job, workspace: lab.workspace })));
  const ended = options.wait
    ? await endsOf(
        client,
        jobs.map(({ id }) => id),
      )
    : jobs;
  if (options.output === 'json') printJson(options.wait ? { ...result, jobs: ended } : result);
  else {
    const rows = ended.map(({ id, workspace, action, instance, state }) =>
      [workspace ?? '-', instance ?? '-', action, state, id].map(harmless),
    );
    process.stdout.write(await asColumns(['WORKSPACE', 'LAB', 'ACTION', 'STATE', 'JOB'], rows));
  }
  return ended.every(({ state }) => !hasEnded(state) || state === 'success') ? 0 : 1;
}

async function endsOf(client: LabApiClient, ids: readonly string[]) {
  const ended = [];
  for (const id of ids) {
    const job = await client.waitForJob(id);
    if (job.error !== null) complain(`${id}: ${job.error}`);
    ended.push(job);
  }
  return ended;
}

/** As diff(1): 0 for none, 1 for differences; 2 when a node, or all of them, could not be compared. */
const troubleCode = 2;

function printDifferences(differences: Differences, { output }: OutputOption): number {
  const { before, after, nodes, differs } = differences;
  if (output === 'json') printJson(differences);
  else {
    for (const { node, change, diff, reason } of nodes) {
      if (diff !== null) process.stdout.write(harmlessTextLines(diff));
      else if (change !== 'same')
        process.stdout.write(
          `${harmless(node)}: ${change}${reason === null ? '' : `, ${harmless(reason)}`}\n`,
        );
    }
    if (!differs)
      complain(`nothing differs between ${before.snapshot ?? 'now'} and ${after.snapshot ?? 'now'}`);
  }
  if (nodes.some(({ change }) => change === 'unknown')) return troubleCode;
  return differs ? 1 : 0;
}

function whole(text: string): number {
  if (/^[1-9]\d{0,2}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('a whole number over 0.');
}

function addReading(snapshot: Command): void {
  withOutput(withServerOptions(snapshot.command('list').description('list the snapshots'))).action(
    async ({ output }: OutputOption, command: Command) =>
      endWith(command, async () => {
        const all = await (await clientFor(command)).snapshots.list();
        if (output === 'json') return printJson({ snapshots: all });
        process.stdout.write(
          await asColumns(['NAME', 'LAB', 'NODES', 'SIZE', 'CREATED', 'OWNER'], all.map(rowOf)),
        );
      }),
  );
  withServerOptions(snapshot.command('download').description('save the files of a snapshot as a tar.gz'))
    .argument('<name>')
    .argument('[file]', 'a new file; default: NAME.tar.gz')
    .option('--host <host>', hostWords)
    .action(async (name: string, file: string | undefined, options: HostOption, command: Command) =>
      endWith(command, async () => download(name, file, options, command)),
    );
  withOutput(
    withServerOptions(
      snapshot.command('diff').description('show how the configurations of two snapshots differ'),
    ),
  )
    .argument('<earlier>', 'name of a snapshot')
    .argument('<later>', 'name of another one')
    .option('--host <host>', hostWords)
    .action(async (earlier: string, later: string, options: OutputOption & HostOption, command: Command) =>
      endWith(
        command,
        async () => {
          const { snapshots } = await clientFor(command);
          return printDifferences(await snapshots.compare(earlier, later, { host: options.host }), options);
        },
        troubleCode,
      ),
    );
}

export function addSnapshotCommands(program: Command): void {
  const snapshot = program
    .command('snapshot')
    .description('keep labs of a lab-api server, and start them again');
  withOutput(
    withServerOptions(
      snapshot.command('keep').description('keep the files of a lab and the configurations of its nodes'),
    ),
  )
    .argument('<lab>', 'id of the lab (see lab labs)')
    .argument('<name>', 'a new name')
    .action(async (lab: string, name: string, options: OutputOption, command: Command) =>
      endWith(command, async () => keep(lab, name, options, command)),
    );
  addReading(snapshot);
  withOutput(
    withServerOptions(
      snapshot.command('restore').description('start a lab from a snapshot, or several copies'),
    ),
  )
    .argument('<name>')
    .requiredOption('--workspace <name>', 'a new workspace; with --copies, the beginning of the names')
    .option('--copies <number>', 'start so many labs: all of them, or none', whole)
    .option('--replace', 'replace all files of a workspace that is there')
    .option('--multilab-id <id>', 'multilab id of the lab, or auto', (text) =>
      text === 'auto' ? text : whole(text),
    )
    .option('--ttl <duration>', 'stop each lab when it has been up for this time: 90s, 5m, 4h')
    .option('--wait-ready <duration>', 'wait until all nodes of a lab are ready, at most this long')
    .option('-w, --wait', 'wait until the jobs end; exit with 1 if one fails')
    .option('--host <host>', hostWords)
    .action(async (name: string, options: RestoreOptions, command: Command) =>
      endWith(command, async () => restore(name, options, command)),
    );
  withServerOptions(snapshot.command('rm').description('remove a snapshot'))
    .argument('<name>')
    .option('--host <host>', hostWords)
    .action(async (name: string, { host }: HostOption, command: Command) =>
      endWith(command, async () => {
        await (await clientFor(command)).snapshots.remove(name, { host });
        process.stdout.write(`${harmless(name)} is removed\n`);
      }),
    );
}

export function addDiffCommand(program: Command): void {
  withOutput(
    withServerOptions(
      program
        .command('diff')
        .description(
          'show how the running configurations of a lab on a lab-api server differ from a snapshot',
        ),
    ),
  )
    .argument('<lab>', 'id of the lab (see lab labs)')
    .option('--snapshot <name>', 'default: the last one of this lab')
    .action(async (lab: string, options: OutputOption & { snapshot?: string }, command: Command) =>
      endWith(
        command,
        async () => {
          const { snapshots } = await clientFor(command);
          return printDifferences(await snapshots.compareLab(lab, { snapshot: options.snapshot }), options);
        },
        troubleCode,
      ),
    );
}
