/** `lab jobs`, `lab job`, `lab cancel`, `lab retry`, `lab rm`, `lab labs`: one request each, and what came of it. */
import { type Command, Option } from 'commander';
import type { Job, JobState, Lab } from '../../client/api-types.ts';
import { asLabs } from '../../client/expected.ts';
import { hasEnded, type LabApiClient } from '../../client/lab-api-client.ts';
import { harmlessTextLines } from '../../lib/text/harmless-text.ts';
import { endWith, lossTeller, tellKept } from './ending.ts';
import { clientFor, UsageError, withServerOptions } from './server.ts';
import { harmless, harmlessLines, jobDetails, jobsTable, labsTable, paintedState } from './tables.ts';

interface OutputOption {
  readonly output: 'table' | 'json';
}

interface JobsOptions extends OutputOption {
  readonly state?: JobState[];
  readonly action?: string;
  readonly instance?: string;
  readonly workdir?: string;
  readonly workspace?: string;
  readonly label?: string[];
  readonly limit: string;
}

const defaultLimit = '20';

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

function limitOf(text: string): number {
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw new UsageError(`--limit: "${text}" is not a whole number over 0`);
}

async function newest(
  client: LabApiClient,
  { limit, ...filter }: Omit<JobsOptions, 'output'>,
): Promise<Job[]> {
  const most = limitOf(limit);
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

function addJobsCommand(program: Command): void {
  withOutput(
    withServerOptions(program.command('jobs').description('list the jobs of a lab-api server, newest first')),
  )
    .option('--state <state>', 'only jobs in this state; may be repeated', collect)
    .option('--action <action>', 'only jobs with this action')
    .option('--instance <id>', 'only jobs of this lab instance')
    .option('--workdir <directory>', 'only jobs in this directory of the lab server')
    .option('--workspace <name>', 'only jobs in this workspace')
    .option('--label <name[=value]>', 'only jobs with this label; may be repeated', collect)
    .option('--limit <number>', 'maximum number of jobs', defaultLimit)
    .action(async ({ output, ...options }: JobsOptions, command: Command) =>
      endWith(command, async () => {
        const { state, action, instance, workdir, workspace, label, limit } = options;
        const jobs = await newest(await clientFor(command), {
          limit,
          ...(state && { state }),
          ...(action !== undefined && { action }),
          ...(instance !== undefined && { instance }),
          ...(workdir !== undefined && { workdir }),
          ...(workspace !== undefined && { workspace }),
          ...(label && { label }),
        });
        if (output === 'json') printJson(jobs);
        else process.stdout.write(jobs.length === 0 ? 'no jobs\n' : await jobsTable(jobs, Date.now()));
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

interface JobCommand {
  readonly name: string;
  readonly description: string;
  /** Runs for each job that is named; returns undefined if the job was removed. */
  readonly act: (client: LabApiClient, id: string) => Promise<Job | undefined>;
}

/** A command that does the same with every job that is named, and stops at the first that cannot be done. */
function addEachCommand(program: Command, { name, description, act }: JobCommand): void {
  withOutput(withServerOptions(program.command(name).description(description)))
    .argument('<id...>')
    .action(async (ids: string[], { output }: OutputOption, command: Command) =>
      endWith(command, async () => {
        const client = await clientFor(command);
        for (const id of ids) {
          const job = await act(client, id);
          if (job === undefined) process.stdout.write(output === 'json' ? '' : `${id} removed\n`);
          else if (output === 'json') printJson(job);
          else process.stdout.write(told(job));
        }
      }),
    );
}

async function cancelAndWait(client: LabApiClient, id: string): Promise<Job> {
  const job = await client.cancelJob(id);
  tellKept(job);
  return hasEnded(job.state) ? job : client.waitForJob(id);
}

/** Whether no single lab CLI knows of all labs: there are several, or several hosts. An older service says neither. */
async function isOfSeveral(client: LabApiClient): Promise<{ clis: boolean; hosts: boolean }> {
  const { labClis, host } = await client.request('GET', '/');
  return { clis: Array.isArray(labClis) && labClis.length > 1, hosts: typeof host === 'string' };
}

/** The labs of all lab CLIs. That one did not answer is said apart from them. */
async function allLabs(client: LabApiClient): Promise<readonly Lab[]> {
  const list = await client.request('GET', '/labs');
  const { missingClis = [] } = list;
  if (Array.isArray(missingClis) && missingClis.length > 0) {
    const names = harmless(missingClis.join(', '));
    process.stderr.write(
      `no answer from ${names}: labs may be missing, or are shown as they were known last\n`,
    );
  }
  return asLabs(list);
}

/** The text output of the lab CLI; a table if several lab CLIs have labs. */
async function labsText(client: LabApiClient, hasOwnTable: boolean): Promise<string> {
  return hasOwnTable ? labsTable(await allLabs(client)) : harmlessLines(await client.statusText());
}

function addLabsCommand(program: Command): void {
  withOutput(
    withServerOptions(program.command('labs').description('show the labs on a lab-api server')),
  ).action(async ({ output }: OutputOption, command: Command) =>
    endWith(command, async () => {
      const client = await clientFor(command);
      const { clis, hosts } = await isOfSeveral(client);
      if (output === 'table') process.stdout.write(await labsText(client, clis || hosts));
      else printJson(clis ? { labs: await allLabs(client) } : await client.status());
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
  });
  addEachCommand(program, {
    name: 'retry',
    description: 'submit ended jobs of a lab-api server again',
    act: async (client, id) => client.retryJob(id),
  });
  addEachCommand(program, {
    name: 'rm',
    description: 'remove ended jobs and their logs from a lab-api server',
    act: async (client, id) => {
      await client.removeJob(id);
      return undefined;
    },
  });
  addLabsCommand(program);
}
