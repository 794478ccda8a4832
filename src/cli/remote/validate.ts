/** `lab validate` with `--server`: the tests of a lab on a lab-api server, as a job that is waited for. */
import { Command, Option } from 'commander';
import type { Job, JobRequest } from '../../client/api-types.ts';
import { testsOf } from '../../client/expected.ts';
import { complain, endWith, lossTeller } from './ending.ts';
import { collect, printJson, told, withOutput } from './jobs.ts';
import { checkJunit, withJunit, writeJunit } from './junit.ts';
import { clientFor, UsageError, withServerOptions } from './server.ts';
import { exitCodeOf, stayWith } from './start.ts';
import { harmless, testsTable } from './tables.ts';

interface ValidateOptions {
  readonly output: 'table' | 'json';
  readonly instance?: string;
  readonly test?: readonly string[];
  readonly node?: readonly string[];
  readonly skipWait?: boolean;
  readonly source?: string;
  readonly list?: boolean;
  readonly junit?: string;
}

function requestOf(directory: string | undefined, options: ValidateOptions): JobRequest {
  if (directory === undefined && options.instance === undefined)
    throw new UsageError('give the DIRECTORY of the lab on the server, or its --instance');
  const { instance, test: tests, node: nodes, skipWait, source: testSource } = options;
  const given = { workdir: directory, instance, tests, nodes, skipWait, testSource };
  const fields = Object.entries(given).filter(([, value]) => value !== undefined);
  return { action: 'validate', ...Object.fromEntries(fields) };
}

async function printTests(job: Job): Promise<void> {
  const tests = testsOf(job);
  if (tests.length > 0) process.stdout.write(await testsTable(tests));
  const { result } = job;
  if (result?.kind === 'tests' && !result.complete) complain('the tests did not finish');
}

async function list(instance: string | undefined, command: Command): Promise<number> {
  if (instance === undefined) throw new UsageError('--list: give the --instance of the lab');
  const client = await clientFor(command);
  for (const { name, description } of await client.labTests(instance))
    process.stdout.write(`${harmless(name)}\t${harmless(description ?? '')}\n`);
  return 0;
}

/** Returns the exit code of the job; 1 if the job succeeded and the file of `--junit` was not written. */
async function validate(
  directory: string | undefined,
  options: ValidateOptions,
  command: Command,
): Promise<number> {
  if (options.list) return list(options.instance, command);
  const { junit, output } = options;
  const request = requestOf(directory, options);
  checkJunit(junit);
  const client = await clientFor(command);
  const accepted = await client.startJob(request, lossTeller());
  const job = await stayWith(client, accepted, false);
  if (output === 'json') printJson(job);
  else {
    await printTests(job);
    for (const warning of job.warnings) complain(warning);
    process.stderr.write(`lab: ${told(job)}`);
  }
  const isWritten = junit === undefined || (await writeJunit(client, job, junit));
  return exitCodeOf(job) || (isWritten ? 0 : 1);
}

/** Runs the command with these arguments, those behind its name. `before` are options that stood in front of it. */
export async function remoteValidate(args: readonly string[], before: readonly string[]): Promise<void> {
  const program = new Command('lab').exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));
  const command = withJunit(
    withOutput(
      withServerOptions(
        program
          .command('validate')
          .description('run the tests of a lab on a lab-api server, and wait for the results'),
      ),
    ),
  )
    .argument('[directory]', 'the directory of the lab, on the server')
    .addOption(new Option('-i, --instance <id>', 'the lab instance, instead of its directory'))
    .option('--test <name>', 'only this test, by name or regular expression; may be repeated', collect)
    .option('--node <name>', 'only on this node; may be repeated', collect)
    .option('--skip-wait', 'skip the waiting times of the tests')
    .option('--source <file>', 'file of tests on the server, instead of the tests of the lab')
    .addOption(new Option('--list', 'list the tests without running them').conflicts('junit'));
  command.action(async (directory: string | undefined, options: ValidateOptions, self: Command) =>
    endWith(self, async () => validate(directory, options, self)),
  );
  await program.parseAsync(['validate', ...before, ...args], { from: 'user' });
}
