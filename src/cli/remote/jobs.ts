/** `lab jobs`, `lab job`, `lab cancel`, `lab retry`, `lab rm`, `lab labs`: one request each, and what came of it. */
import { type Command, Option } from 'commander';
import type { Job, JobState } from '../../client/api-types.ts';
import { asLabs, type JsonObject } from '../../client/expected.ts';
import { ServiceError } from '../../client/service-error.ts';
import type { JobListFilter } from '../../client/filters.ts';
import { hasEnded, type LabApiClient } from '../../client/lab-api-client.ts';
import { harmlessTextLines } from '../../lib/text/harmless-text.ts';
import { complain, endWith, lossTeller, tellKept } from './ending.ts';
import { clientFor, UsageError, withServerOptions } from './server.ts';
import { harmless, jobDetails, jobsTable, labsTable, paintedState, stoppedTable } from './tables.ts';

interface OutputOption {
  readonly output: 'table' | 'json';
}

interface FilterOptions {
  readonly state?: JobState[];
  readonly action?: string;
  readonly instance?: string;
  readonly workdir?: string;
  readonly workspace?: string;
  readonly requestedBy?: string;
  readonly label?: string[];
  readonly since?: string;
  readonly until?: string;
}

const defaultLimit = '20';
const endedStates: readonly JobState[] = ['success', 'failed', 'canceled'];

/** Of all options of a command, those that select jobs. */
function filterOf(options: FilterOptions): JobListFilter {
  const { state, action, instance, workdir, workspace, requestedBy, label, since, until } = options;
  return { state, action, instance, workdir, workspace, requestedBy, label, since, until };
}

/** How a command answers: for people, or for programs. */
export function withOutput(command: Command): Command {
  return command.addOption(
    new Option('-o, --output <form>', 'output format').choices(['table', 'json']).default('table'),
  );
}

export const collect = (value: string, before: string[] = []): string[] => [...before, value];

/** JSON on one line, or on several (`indent`). */
export function jsonText(value: unknown, indent = 0): string {
  return `${harmlessTextLines(JSON.stringify(value, null, indent))}\n`;
}

export function printJson(value: unknown): void {
  process.stdout.write(jsonText(value, 2));
}

export function limitOf(text: string): number {
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw new UsageError(`--limit: "${text}" is not a whole number over 0`);
}

/** The newest jobs that match. */
async function found(client: LabApiClient, filter: JobListFilter, most = Infinity): Promise<Job[]> {
  const jobs: Job[] = [];
  for await (const job of client.allJobs(filter)) {
    jobs.push(job);
    if (jobs.length === most) break;
  }
  return jobs;
}

/** One line that says what became of the job. */
export function told(job: Job): string {
  const why = job.error === null ? '' : `: ${harmless(job.error)}`;
  return `${harmless(job.id)} ${paintedState(job.state)}${why}\n`;
}

/** The filters of `GET /jobs` as options. `--user` is taken: it is the user of the request itself. */
function withFilters(command: Command): Command {
  return command
    .option('--state <state>', 'only jobs in this state; may be repeated', collect)
    .option('--action <action>', 'only jobs with this action')
    .option('--instance <id>', 'only jobs of this lab instance')
    .option('--workdir <directory>', 'only jobs in this directory of the lab server')
    .option('--workspace <name>', 'only jobs in this workspace')
    .option('--requested-by <user>', 'only jobs that this user submitted')
    .option('--label <name[=value]>', 'only jobs with this label; may be repeated', collect)
    .option('--since <time>', 'only jobs submitted since then: 2026-01-31T12:00:00Z, 2026-01-31, 24h, 7d')
    .option('--before, --until <time>', 'only jobs submitted before that time');
}

function addJobsCommand(program: Command): void {
  withFilters(
    withOutput(
      withServerOptions(
        program.command('jobs').description('list the jobs of a lab-api server, newest first'),
      ),
    ),
  )
    .option('--limit <number>', 'maximum number of jobs', defaultLimit)
    .action(async (options: OutputOption & FilterOptions & { limit: string }, command: Command) =>
      endWith(command, async () => {
        const { output, limit } = options;
        const most = limitOf(limit);
        // One more tells whether there are more.
        const jobs = await found(await clientFor(command), filterOf(options), most + 1);
        await printFound(jobs.slice(0, most), output, 'no jobs');
        if (jobs.length > most) complain(`there are more jobs: --limit shows more than the newest ${most}`);
      }),
    );
}

function addJobCommand(program: Command): void {
  withOutput(withServerOptions(program.command('job').description('show one job of a lab-api server')))
    .argument('<id>')
    .option('--wait', 'wait until the job has ended')
    .action(async (id: string, { output, wait }: OutputOption & { wait?: boolean }, command: Command) =>
      endWith(command, async () => {
        const client = await clientFor(command);
        const job = await (wait ? client.waitForJob(id, { onLost: lossTeller().onLost }) : client.getJob(id));
        if (output === 'json') printJson(job);
        else process.stdout.write(jobDetails(job));
      }),
    );
}

interface ForceOption {
  readonly force?: boolean | undefined;
}

interface JobCommand {
  readonly name: string;
  readonly description: string;
  /** Runs for each job that is named. */
  readonly act: (client: LabApiClient, id: string, options: ForceOption) => Promise<Job>;
}

/** A command that does the same with every job that is named, and stops at the first that cannot be done. */
function addEachCommand(program: Command, { name, description, act }: JobCommand): Command {
  return withOutput(withServerOptions(program.command(name).description(description)))
    .argument('<id...>')
    .action(async (ids: string[], { output, force }: OutputOption & ForceOption, command: Command) =>
      endWith(command, async () => {
        const client = await clientFor(command);
        for (const id of ids) {
          const job = await act(client, id, { force });
          if (output === 'json') printJson(job);
          else process.stdout.write(told(job));
        }
      }),
    );
}

async function cancelAndWait(client: LabApiClient, id: string, options: ForceOption): Promise<Job> {
  const job = await client.cancelJob(id, options);
  tellKept(job);
  return hasEnded(job.state) ? job : client.waitForJob(id);
}

interface RemoveOptions extends OutputOption, FilterOptions {
  readonly dryRun?: boolean;
}

/** The filter of the jobs to remove; undefined for those that are named. @throws UsageError */
function removalOf(named: readonly string[], options: RemoveOptions): JobListFilter | undefined {
  const filter = filterOf(options);
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  if (isFiltered === named.length > 0)
    throw new UsageError('give either the ids of jobs or filters, such as --state failed --before 30d');
  if (filter.state?.some((state) => !hasEnded(state)))
    throw new UsageError(`--state: must be one of ${endedStates.join(', ')}: other jobs cannot be removed`);
  return isFiltered ? { ...filter, state: filter.state ?? endedStates } : undefined;
}

async function printFound(jobs: readonly Job[], output: OutputOption['output'], none: string): Promise<void> {
  if (output === 'json') printJson(jobs);
  else process.stdout.write(jobs.length === 0 ? `${none}\n` : await jobsTable(jobs, Date.now()));
}

/** Removes one job after the other. The rest goes on after a refusal, such as for the job of another user. */
async function removeAll(client: LabApiClient, ids: readonly string[], isTold: boolean): Promise<string[]> {
  const removed: string[] = [];
  for (const id of ids)
    try {
      await client.removeJob(id);
      removed.push(id);
      if (isTold) process.stdout.write(`${harmless(id)} removed\n`);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status === 401) throw error;
      complain(`${id}: ${error.message}`);
    }
  return removed;
}

function addRemoveCommand(program: Command): void {
  withFilters(
    withOutput(
      withServerOptions(
        program
          .command('rm')
          .description('remove ended jobs and their logs from a lab-api server: by id, or all that match'),
      ),
    ),
  )
    .argument('[id...]')
    .option('--dry-run', 'list the jobs that would be removed, and remove none')
    .action(async (named: string[], options: RemoveOptions, command: Command) =>
      endWith(command, async () => {
        const { output, dryRun } = options;
        const filter = removalOf(named, options);
        const client = await clientFor(command);
        const jobs = filter
          ? await found(client, filter)
          : await Promise.all(named.map(async (id) => client.getJob(id)));
        if (dryRun || jobs.length === 0) return printFound(jobs, output, 'no jobs match');
        const ids = jobs.map(({ id }) => id);
        const removed = await removeAll(client, ids, output === 'table');
        if (output === 'json') printJson({ removed });
        return removed.length < ids.length ? 1 : 0;
      }),
    );
}

/** Says which hosts and lab CLIs did not answer. */
export function tellUnanswered({ missingHosts, missingClis }: JsonObject, kind: string): void {
  const missing = [missingHosts, missingClis].flatMap((names) =>
    Array.isArray(names) ? (names as unknown[]) : [],
  );
  if (missing.length > 0)
    complain(
      `no answer from ${missing.join(', ')}: ${kind} may be missing, or are shown as they were known last`,
    );
}

/** The labs or workspaces of all hosts and lab CLIs. That one did not answer is said apart from them. */
export async function listOfAll(client: LabApiClient, kind: 'labs' | 'workspaces'): Promise<JsonObject> {
  const list = await client.request('GET', `/${kind}`);
  tellUnanswered(list, kind);
  return list;
}

function addLabsCommand(program: Command): void {
  withOutput(withServerOptions(program.command('labs').description('show the labs on a lab-api server')))
    .option('-a, --all', 'also the labs that have ended and can be started again')
    .action(async ({ output, all }: OutputOption & { all?: boolean }, command: Command) =>
      endWith(command, async () => {
        const client = await clientFor(command);
        const labs = asLabs(await listOfAll(client, 'labs'));
        const stopped = all ? { stoppedLabs: await client.stoppedLabs() } : {};
        if (output === 'json') return printJson({ labs, ...stopped });
        const { stoppedLabs = [] } = stopped;
        const tables = [
          ...(labs.length > 0 ? [await labsTable(labs, Date.now())] : []),
          ...(stoppedLabs.length > 0 ? [await stoppedTable(stoppedLabs, Date.now())] : []),
        ];
        process.stdout.write(tables.length === 0 ? 'no labs\n' : tables.join('\n'));
      }),
    );
}

export function addJobCommands(program: Command): void {
  addJobsCommand(program);
  addJobCommand(program);
  addEachCommand(program, {
    name: 'cancel',
    description: 'cancel jobs of a lab-api server, and wait until they have ended',
    act: cancelAndWait,
  }).option('--force', 'kill its processes at once, without time to clean up');
  addEachCommand(program, {
    name: 'retry',
    description: 'submit ended jobs of a lab-api server again',
    act: async (client, id) => client.retryJob(id),
  });
  addRemoveCommand(program);
  addLabsCommand(program);
}
