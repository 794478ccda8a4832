/** `lab scenario run`: breaks links and nodes of a lab on a lab-api server, and reports what that did to its traffic. */
import { type Command, Option } from 'commander';
import type { Job, JobRequest } from '../../client/api-types.ts';
import { scenarioSchema, type Scenario } from '../../labs/model/scenario.ts';
import type { LabApiClient } from '../../client/lab-api-client.ts';
import { ServiceError } from '../../client/service-error.ts';
import { AppError } from '../../lib/app-error.ts';
import { issueWords } from '../../lib/text/issue-words.ts';
import { complain, endWith, lossTeller } from './ending.ts';
import { collect, printJson, told, withOutput } from './jobs.ts';
import { checkJunit, withJunit, writeJunit } from './junit.ts';
import { clientFor, textOf, UsageError, withServerOptions } from './server.ts';
import { exitCodeOf, stayWith } from './start.ts';

interface ScenarioOptions {
  readonly output: 'table' | 'json';
  readonly instance?: string;
  readonly workdir?: string;
  readonly workspace?: string;
  readonly each?: string;
  readonly except?: readonly string[];
  readonly kind?: string;
  readonly flow?: readonly string[];
  readonly outage?: string;
  readonly hold?: string;
  readonly paths?: true;
  readonly shard?: string;
  readonly junit?: string;
}

/** The options are checked like the file: without one, as if it were empty. */
async function scenarioWith(file: string | undefined, instead: Partial<Scenario>): Promise<Scenario> {
  try {
    if (file !== undefined) {
      const { readScenario } = await import('../../labs/model/read-scenario.ts');
      return readScenario(textOf(file), file, instead).scenario;
    }
    const parsed = scenarioSchema.safeParse(instead, { error: issueWords });
    if (parsed.success) return parsed.data;
    const [first] = parsed.error.issues;
    const isWhole = instead.flows !== undefined && instead.each !== undefined;
    const remedy = isWhole ? '' : '; give a FILE, or --each and --flow';
    throw new UsageError(`${first?.path.join('.')}: ${first?.message}${remedy}`);
  } catch (error) {
    throw error instanceof AppError ? new UsageError(error.message) : error;
  }
}

/** `h1:h2`, or a node and an address, which may have colons of its own. */
function flowOf(given: string): { from: string; to: string } {
  const [, from, to] = /^([^:]+):(.+)$/.exec(given) ?? [];
  if (from !== undefined && to !== undefined) return { from, to };
  throw new UsageError(`--flow: "${given}" is not FROM:TO, such as h1:h2`);
}

/** Reads the scenario from the file. Fields that the options give replace those of the file. */
async function scenarioOf(file: string | undefined, options: ScenarioOptions): Promise<Scenario> {
  const { each: of, except, kind, flow, outage, hold, paths, shard } = options;
  if (of === undefined && (except !== undefined || kind !== undefined))
    throw new UsageError('--except and --kind go with --each');
  return scenarioWith(file, {
    ...(of !== undefined && { each: { of, except, kind } as Scenario['each'] }),
    ...(flow !== undefined && { flows: flow.map(flowOf) }),
    ...(outage !== undefined && { expect: { outage } }),
    ...(hold !== undefined && { hold }),
    ...(paths !== undefined && { paths }),
    ...(shard !== undefined && { shard }),
  });
}

/** 1 for a fault that failed; 2 for a scenario that was refused, or could not be run to its end. */
function verdictOf(job: Job): number {
  const code = exitCodeOf(job);
  const isVerdict = job.exitCode === 1 && job.result?.kind === 'tests' && job.result.complete;
  return code === 1 && !isVerdict ? 2 : code;
}

async function startScenario(client: LabApiClient, request: object): Promise<Job | undefined> {
  try {
    return await client.startJob(request as JobRequest, lossTeller());
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    complain(error.message);
    return undefined;
  }
}

async function run(file: string | undefined, options: ScenarioOptions, command: Command): Promise<number> {
  const { instance, workdir, workspace, output, junit } = options;
  if (instance === undefined && workdir === undefined && workspace === undefined)
    throw new UsageError(
      'give the --instance of the lab (see lab labs), its --workspace, or its --workdir on the server',
    );
  // JSON leaves out what is not given.
  const place = { instance, workdir, workspace };
  const scenario = await scenarioOf(file, options);
  checkJunit(junit);
  const client = await clientFor(command);
  const accepted = await startScenario(client, { action: 'scenario', ...place, scenario });
  if (accepted === undefined) return 2;
  for (const warning of accepted.warnings) complain(warning);
  complain(accepted.id);
  const job = await stayWith(client, accepted, output === 'table');
  if (output === 'json') printJson(job);
  process.stderr.write(`lab: ${told(job)}`);
  complain(`its files: lab pull ${job.id}`);
  const isWritten = junit === undefined || (await writeJunit(client, job, junit));
  return verdictOf(job) || (isWritten ? 0 : 2);
}

export function addScenarioCommand(program: Command): void {
  const scenario = program
    .command('scenario')
    .description('test what failures of links and nodes do to the traffic of a lab on a lab-api server');
  const command = withJunit(
    withOutput(
      withServerOptions(scenario.command('run').description('run a scenario, and exit with 1 when it fails')),
    ),
  )
    .argument('[file]', 'file with the scenario in YAML, on this machine; - for standard input')
    .option('-i, --instance <id>', 'id of the lab (see lab labs)')
    .option('--workdir <directory>', 'directory of the lab on the lab server')
    .option('--workspace <name>', 'workspace of the lab on the lab server')
    .addOption(new Option('--each <what>', 'break one after the other').choices(['link', 'node', 'pair']))
    .option('--except <name>', 'with --each: leave this link or node alone; may be repeated', collect)
    .option('--kind <kind>', 'with --each: the kind of fault; default: down, isolated for nodes')
    .option('--flow <from:to>', 'measure traffic between these nodes; may be repeated', collect)
    .option('--outage <duration>', 'the longest time that a flow may be without traffic')
    .option('--hold <duration>', 'how long a fault stays at most')
    .option('--paths', 'report which nodes the flows pass, before each fault and while it stays')
    .option('--shard <part/parts>', 'run a part of the faults, such as 1/4');
  command.action(async (file: string | undefined, options: ScenarioOptions, self: Command) =>
    endWith(self, async () => run(file, options, self)),
  );
}
