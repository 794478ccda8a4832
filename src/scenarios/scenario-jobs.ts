/** Scenarios as jobs: checked when they are accepted, and resolved again when they start. */
import { readSync } from 'node:fs';
import path from 'node:path';
import { findProgram } from '../labs/drivers/find-program.ts';
import type { Environment } from '../labs/drivers/lab-driver.ts';
import type { LabTopology } from '../labs/drivers/topology.ts';
import { targetWords, type Fault } from '../labs/model/fault.ts';
import type { ReadScenario } from '../labs/model/read-scenario.ts';
import { scenarioSchema } from '../labs/model/scenario.ts';
import type { OwnJobs, OwnRequest } from '../labs/own-jobs.ts';
import { resultReader } from '../labs/results/read-result.ts';
import { AppError, invalidField } from '../lib/app-error.ts';
import { openInside, closeRead } from '../lib/files/open-inside.ts';
import { packageFile } from '../lib/files/package-root.ts';
import type { ScenarioPlan } from './model/scenario-plan.ts';
import { namesTests, planScenario, type LabFacts } from './plan-scenario.ts';
import { scenarioError, scenarioOutput } from './read-output.ts';

const program = packageFile('dist', 'scenarios', 'run', 'main.js');

interface ScenarioJobsDeps {
  /** The socket that the program asks the service by; an object, because it may not be there. */
  readonly socket: { readonly file: string; readonly problem: string | undefined };
  readonly env: Environment;
  readonly topologyOf: (lab: Asked['lab']) => Promise<LabTopology>;
  /** The names of its tests. */
  readonly testsOf: (lab: Asked['lab']) => Promise<readonly string[]>;
  readonly faultsOf: (lab: Asked['lab']) => readonly Fault[];
}

/** A scenario that is asked for, and its lab. */
export interface Asked {
  readonly lab: { readonly id: string; readonly cli: string };
  readonly workdir: string;
  readonly scenario: unknown;
  readonly scenarioPath: unknown;
}

/** Another program may change the file at any moment: what is read is the opened file, inside of the directory. */
function textOf(workdir: string, given: string, maxBytes: number): string {
  const fd = openInside(workdir, path.relative(workdir, path.resolve(workdir, given)));
  if (fd === undefined) throw invalidField('scenarioPath', 'must be inside the working directory');
  try {
    const bytes = Buffer.alloc(maxBytes + 1);
    return bytes.toString('utf8', 0, readSync(fd, bytes));
  } finally {
    closeRead(fd);
  }
}

async function scenarioOf({ workdir, scenario, scenarioPath }: Asked): Promise<ReadScenario> {
  if (scenario !== undefined) return { scenario: scenarioSchema.parse(scenario), placeOf: () => undefined };
  if (typeof scenarioPath !== 'string')
    throw invalidField('scenario', 'is required, or "scenarioPath": a file in the working directory');
  // With it comes the parser of YAML, which no start should wait for.
  const { maxScenarioBytes, readScenario } = await import('../labs/model/read-scenario.ts');
  try {
    return readScenario(textOf(workdir, scenarioPath, maxScenarioBytes), scenarioPath);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('invalid-request', `scenarioPath: ${scenarioPath} cannot be read`, { cause: error });
  }
}

/** The plan; its errors name the place in the file. */
function planOf(facts: LabFacts, { scenario, placeOf }: ReadScenario): ScenarioPlan {
  try {
    return planScenario(facts, scenario);
  } catch (error) {
    const field = error instanceof AppError ? error.errors[0]?.field : undefined;
    const place = field === undefined ? undefined : placeOf(field.split('.').slice(1));
    if (!(error instanceof AppError) || place === undefined) throw error;
    throw new AppError(error.code, `${place}: ${error.message}`, { errors: error.errors });
  }
}

export class ScenarioJobs implements OwnJobs {
  readonly #deps: ScenarioJobsDeps;

  constructor(deps: ScenarioJobsDeps) {
    this.#deps = deps;
  }

  /** @throws AppError when the scenario cannot be run. */
  async plan({ instance, cli, workdir, scenario, options }: OwnRequest): Promise<readonly string[]> {
    const { socket, env } = this.#deps;
    const { scenarioPath } = options;
    if (socket.problem !== undefined) throw new AppError('not-supported', socket.problem);
    if (findProgram('fping', env) === undefined)
      throw new AppError('not-supported', 'scenarios send their probes with fping: install it on the server');
    if (instance === null)
      throw new AppError('instance-not-found', `there is no lab in ${workdir}: start it first`);
    await this.resolve({ lab: { id: instance, cli }, workdir, scenario, scenarioPath });
    return [process.execPath, program, socket.file];
  }

  /** @throws AppError `invalid-request`, `conflict`, and as the topology of the lab. */
  async resolve(asked: Asked): Promise<ScenarioPlan> {
    const { topologyOf, testsOf, faultsOf } = this.#deps;
    const read = await scenarioOf(asked);
    const topology = await topologyOf(asked.lab);
    const tests = namesTests(read.scenario) ? await testsOf(asked.lab) : [];
    const plan = planOf({ topology, tests }, read);
    const [fault] = faultsOf(asked.lab);
    if (fault === undefined) return plan;
    const { id } = asked.lab;
    throw new AppError(
      'conflict',
      `the lab ${id} has a fault already (${targetWords(fault)} ${fault.kind}): heal it first`,
    );
  }

  commandNow: OwnJobs['commandNow'] = ([, , ...rest]) => [process.execPath, program, ...rest];

  resultReader: OwnJobs['resultReader'] = ({ workdir, instance, startedAt }) =>
    resultReader(scenarioOutput(), { name: `scenario ${instance ?? workdir}`, startedAt });

  errorSentence: OwnJobs['errorSentence'] = scenarioError;
}
