/** The GitHub Action and the GitLab template of examples/clients, with a lab server and with the service inside the job. */
import { afterAll, beforeAll, expect } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { freePort } from '../support/free-port.ts';
import { lab, missingForAnyLabs } from '../support/engine-cli.ts';
import { processesWith } from '../support/environments.ts';
import { eventually } from '../support/eventually.ts';
import { ringTopology } from '../support/prepared-labs.ts';
import { requirement, testUnless } from '../support/requirements.ts';
import { builtProgram, runCommand, startProgram, type RunningProgram } from '../support/service.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const { it, because } = testUnless(
  missingForAnyLabs() ?? ['bash', 'fping'].map((name) => requirement(name).missing).find(Boolean),
);

afterAll(async () => {
  if (because !== '') return;
  const left = await labsLeft();
  for (const id of left) await lab(place, ['down', '--force', '--instance', id]);
  expect(left).toEqual([]);
});

const root = temporaryDirectory();
const place = { home: path.join(root, 'home'), directory: root };
let server: RunningProgram;

async function labsLeft(): Promise<string[]> {
  const { stdout } = await lab(place, ['status', '--all', '--format', 'json']);
  return Object.keys(JSON.parse(stdout) as object).filter((id) => id !== 'warning');
}

beforeAll(async () => {
  if (because !== '') return;
  server = await startProgram({ env: { LAB_API_CLI: 'engine', LAB_HOME: place.home } });
});

type Env = Readonly<Record<string, string>>;

interface Step {
  readonly commands: string;
  readonly env: Env;
}

interface Action {
  readonly runs: {
    readonly steps: readonly { readonly id?: string; readonly run?: string; readonly env?: Env }[];
  };
}

const actionSteps = (): Action['runs']['steps'] =>
  (parse(readFileSync('examples/clients/ci/lab-action/action.yml', 'utf8')) as Action).runs.steps;

/** The step that tests and the step that always runs, as their runner would have them. */
const steps = {
  github: (inputs: Env): Step[] => {
    const value = (text: string): string =>
      text.replaceAll(
        /\$\{\{ (?:inputs|steps\.name\.outputs)\.(\w+) \}\}/g,
        (_all, name: string) => inputs[name] ?? '',
      );
    return actionSteps().flatMap(({ id, run, env = {} }) =>
      run === undefined || id === 'name'
        ? []
        : [{ commands: run, env: Object.fromEntries(Object.entries(env).map(([k, v]) => [k, value(v)])) }],
    );
  },
  gitlab: (inputs: Env): Step[] => {
    const text = readFileSync('examples/clients/ci/lab-template.gitlab-ci.yml', 'utf8');
    const job = (parse(text) as { '.lab': Record<'script' | 'after_script', string[]> })['.lab'];
    const env = {
      LAB_API_URL: inputs['server'] ?? '',
      LAB_DIRECTORY: inputs['directory'] ?? '',
      LAB_SCENARIOS: inputs['scenarios'] ?? '',
      LAB_WORKSPACE: inputs['workspace'] ?? '',
      LAB_STATE: '.lab-pipeline',
    };
    return [...job.script, ...job.after_script].map((commands) => ({ commands, env }));
  },
};

it(`each job of a run has a workspace of its own${because}`, () => {
  const { run = '' } = actionSteps().find(({ id }) => id === 'name') ?? {};
  const nameFor = (workspace: string): string => {
    const output = path.join(root, 'outputs');
    rmSync(output, { force: true });
    const env = { GITHUB_RUN_ID: '77', GITHUB_OUTPUT: output, WORKSPACE: workspace };
    spawnSync('bash', ['-eo', 'pipefail', '-c', run], { env });
    return readFileSync(output, 'utf8');
  };
  const [one, other] = [nameFor(''), nameFor('')];
  expect(one).toMatch(/^workspace=ci-77-\d+-\d+\n$/);
  expect(other).not.toBe(one);
  expect(nameFor('mine')).toBe('workspace=mine\n');
  expect(readFileSync('examples/clients/ci/lab-template.gitlab-ci.yml', 'utf8')).toMatch(
    /LAB_WORKSPACE: .*\$CI_JOB_ID$/m,
  );
});

const topology = (address: string): string => `${ringTopology}validate:
  ping:
    nodes: [h1]
    plugin: ping('${address}', count=1)
`;

async function checkout(name: string, { works }: { readonly works: boolean }) {
  const directory = path.join(root, name);
  mkdirSync(path.join(directory, 'network'), { recursive: true });
  mkdirSync(path.join(directory, 'bin'));
  symlinkSync(builtProgram, path.join(directory, 'bin', 'lab'));
  copyFileSync('examples/clients/shell/lab-pipeline.sh', path.join(directory, 'lab-pipeline.sh'));
  writeFileSync(path.join(directory, 'network', 'topology.yml'), topology(works ? 'h2' : '172.16.77.77'));
  writeFileSync(
    path.join(directory, 'network', 'scenario.yml'),
    'flows: [{from: h1, to: h2}]\nfaults: [{link: r2-r3}]\nsteady: {for: 300ms}\nhold: 1s\n',
  );
  const env = {
    PATH: `${path.join(directory, 'bin')}:${process.env['PATH']}`,
    HOME: root,
    GITHUB_ACTION_PATH: directory,
    RUNNER_TEMP: path.join(directory, 'temp'),
    LAB_API_CLI: 'engine',
    LAB_HOME: place.home,
    LAB_API_PORT: String(await freePort()),
  };
  return { directory, env };
}

const start = ({ commands, env }: Step, there: { directory: string; env: Env }) =>
  runCommand(['bash', '-eo', 'pipefail', '-c', commands], { ...there.env, ...env }, there.directory);

it.each([
  { runner: 'github', where: 'server', works: true },
  { runner: 'gitlab', where: 'server', works: false },
  { runner: 'github', where: 'job', works: false },
  { runner: 'gitlab', where: 'job', works: true },
] as const)(
  `$runner, the service in the $where: a lab that works ($works) leaves results, and nothing else${because}`,
  async ({ runner, where, works }) => {
    const there = await checkout(`${runner}-${where}`, { works });
    const inputs = {
      server: where === 'server' ? server.url : '',
      directory: 'network',
      scenarios: 'network/scenario.yml',
      // As a job may be called.
      workspace: `CI-${runner}-${where}-${'x'.repeat(63)}`,
    };
    const [test, always] = steps[runner](inputs);
    const run = start(test!, there);
    const code = await run.exit;
    expect({ code, output: run.output() }).toMatchObject({ code: works ? 0 : 1 });
    const results = path.join(there.directory, 'results');
    const own = where === 'job' ? ['service.log'] : [];
    expect(readdirSync(results).toSorted()).toEqual(['scenario-1.xml', ...own, 'tests.xml']);
    expect(readFileSync(path.join(results, 'tests.xml'), 'utf8')).toContain(`failures="${works ? 0 : 1}"`);
    expect(await labsLeft()).toEqual([]);
    const after = start(always!, there);
    expect({ code: await after.exit, output: after.output() }).toEqual({ code: 0, output: '' });
  },
);

it.each([
  { runner: 'github', where: 'server' },
  { runner: 'gitlab', where: 'job' },
] as const)(
  `$runner, the service in the $where: the last step takes down the lab of a run that was killed${because}`,
  async ({ runner, where }) => {
    const there = await checkout(`${runner}-killed`, { works: true });
    // A scenario that goes on for longer than a test may.
    const scenario = path.join(there.directory, 'network', 'scenario.yml');
    writeFileSync(
      scenario,
      readFileSync(scenario, 'utf8').replace('steady: {for: 300ms}', 'steady: {for: 10m, within: 20m}'),
    );
    const inputs = {
      server: where === 'server' ? server.url : '',
      directory: 'network',
      scenarios: 'network/scenario.yml',
      workspace: `killed-${runner}`,
    };
    const [test, always] = steps[runner](inputs);
    const run = start(test!, there);
    const log = path.join(there.directory, 'results', 'service.log');
    await eventually('the scenario runs', async () => {
      if (where === 'job') return readFileSync(log, 'utf8').includes('"action":"scenario"') || undefined;
      const { jobs } = (await server.get('/jobs?state=running')).json;
      return jobs.some(({ action }: { action: string }) => action === 'scenario') || undefined;
    });
    // As a runner does: all of them, and without a word.
    for (const pid of processesWith(`GITHUB_ACTION_PATH=${there.directory}`)) process.kill(pid, 'SIGKILL');
    await run.exit;
    expect(await labsLeft()).toHaveLength(1);
    const after = start(always!, there);
    expect({ code: await after.exit, output: after.output() }).toMatchObject({ code: 0 });
    expect(await labsLeft()).toEqual([]);
    expect(existsSync(path.join(there.directory, 'results', 'scenario-1.xml'))).toBe(false);
  },
);
