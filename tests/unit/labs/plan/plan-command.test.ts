import { beforeEach, describe, expect, test } from '@jest/globals';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { AllowedRoots } from '../../../../src/labs/system/allowed-roots.ts';
import { planCommand, type LabRequest, type PlanContext } from '../../../../src/labs/plan/plan-command.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { planAndCommand, planContext, saved, serverWithLab } from '../../../support/plan-context.ts';
import { printed } from '../../../support/run-result.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();
let server: string;
let lab: string;
let known: Record<string, string>;

beforeEach(() => {
  ({ server, lab } = serverWithLab(root));
  known = {};
});

async function plan(request: Partial<LabRequest>, context: Partial<PlanContext> = {}) {
  const { program, plan: made } = await planAndCommand(request, {
    ...planContext(server, known),
    ...context,
  });
  expect(program).toBe('/bin/netlab');
  return made;
}

describe('the working directory', () => {
  test.each([
    ['relative to the server', { workdir: 'lab' }],
    ['the older name', { workspaceRoot: 'lab' }],
    ['workdir before workspaceRoot', { workdir: 'lab', workspaceRoot: 'nope' }],
    ['empty counts as absent', { workdir: '', workspaceRoot: './lab/../lab' }],
  ])('%s', async (_what, fields) => {
    expect(await plan(fields)).toEqual({
      workdir: lab,
      workspace: null,
      args: ['up', path.join(lab, 'topology.yml')],
      topologyText: undefined,
      instance: 'default',
      takesFreeId: false,
      warnings: [],
      nodeCount: 1,
    });
  });

  test('must lie inside the roots, whether it exists or not', async () => {
    const roots = new AllowedRoots([lab]);
    symlinkSync('/etc', path.join(lab, 'out'));
    expect((await plan({ workdir: lab }, { roots })).workdir).toBe(lab);
    for (const workdir of ['/etc', '..', 'lab/out', '/no/such/place', undefined]) {
      expect(await failureOf(plan({ workdir }, { roots }))).toMatchObject({ code: 'forbidden-path' });
    }
  });
});

test('the lab CLI looks at labs in the working directory, and beside it while that is a workspace to be made', async () => {
  const { cli } = planContext(server, known);
  const driver: typeof cli.driver = {
    ...cli.driver,
    checkLab: async ({ run }) => void (await run(['status'])),
  };
  const places: string[] = [];
  const runIn: PlanContext['runIn'] = async (directory) => {
    places.push(directory);
    const output = Buffer.alloc(0);
    return Promise.resolve({
      exitCode: 0,
      signal: null,
      stdout: output,
      stderr: output,
      ended: null,
      spawnError: null,
    });
  };
  const context = { cli: { ...cli, driver }, runIn };
  await plan({ workdir: 'lab' }, context);
  await plan({ workspace: 'new', topology: 'nodes: [a]' }, context);
  expect(places).toEqual([lab, server]);
});

describe('the topology', () => {
  test('inline text is saved as it is', async () => {
    const topology = 'nodes: [a]\n# a comment\n';
    const planned = await plan({ workdir: 'lab', topology, options: { quiet: true } });
    expect(planned).toMatchObject({ args: ['up', saved, '--set', 'name=lab', '-q'], topologyText: topology });
  });

  test.each([
    ['My-long_working.directory', 'Mylongworkin'],
    ['2024', 'lab2024'],
    ['yes', 'labyes'],
    ['0x1f', 'lab0x1f'],
    ['2nd-lab', 'lab2ndlab'],
    ['___', 'default'],
  ])('nameless text in %s is called %s', async (workdir, name) => {
    mkdirSync(path.join(server, workdir));
    expect((await plan({ workdir, topology: { nodes: ['a'] } })).args).toEqual([
      'up',
      saved,
      '--set',
      `name=${name}`,
    ]);
  });

  test('the first field wins and the others are named', async () => {
    const { warnings, topologyText } = await plan({ topology: 'nodes: [a]', topologyPath: 'x.yml' });
    expect(topologyText).toBe('nodes: [a]');
    expect(warnings).toEqual(['topologyPath is ignored: topology comes first']);
    const request = { topologyUrl: 'http://127.0.0.1/', topology: 'x', topologyPath: 'y' };
    expect(await failureOf(plan(request))).toMatchObject({ code: 'forbidden-host' });
  });

  test('snapshot needs none and says so', async () => {
    const { args, warnings } = await plan({ topologyPath: 'x.yml', options: { snapshot: true } });
    expect(args).toEqual(['up', '--snapshot']);
    expect(warnings).toEqual(['topologyPath is ignored: "snapshot" starts the lab from its snapshot']);
  });

  test.each(['down', 'collect', 'status'] as const)('%s needs none', async (action) => {
    const { warnings } = await plan({ action, topology: 'x', topologyUrl: 'y' });
    expect(warnings).toEqual([
      `topologyUrl is ignored: "${action}" needs no topology`,
      `topology is ignored: "${action}" needs no topology`,
    ]);
  });
});

describe('options', () => {
  test('of another action are ignored with a warning', async () => {
    const { args, warnings } = await plan({
      workdir: 'lab',
      options: { cleanup: true, instance: 'x', device: 'frr' },
    });
    expect(args).toEqual(['up', path.join(lab, 'topology.yml'), '--device', 'frr']);
    expect(warnings).toEqual([
      'option "cleanup" is ignored: it belongs to "down"',
      'option "instance" is ignored: it belongs to "down", "collect", "status", "restart", "validate", "initial", "config", "exec", "restart-nodes", "scenario"',
    ]);
  });
});

describe('an instance', () => {
  const options = { instance: 'demo' };

  test('status only names it', async () => {
    known = { demo: lab };
    const status = await plan({ action: 'status', options });
    expect(status).toMatchObject({
      workdir: server,
      args: ['status', '--instance', 'demo'],
      instance: 'demo',
    });
  });
});

test('a restart gives netlab the number of a lab that "up" was given, in the command', async () => {
  known = { 12: lab };
  const answers: Record<string, unknown> = { input: ['topology.yml'], 'defaults.plugin': [] };
  const runIn: PlanContext['runIn'] = async (directory, args) => {
    expect(directory).toBe(lab);
    return printed(JSON.stringify(answers[args.at(-1) ?? '']));
  };
  const request = { action: 'restart', options: { instance: '12' } } as const;
  const { program, plan: made } = await planAndCommand(request, { ...planContext(server, known), runIn });
  expect([program, ...made.args]).toEqual([
    '/usr/bin/env',
    'NETLAB_MULTILAB_ID=12',
    'NETLAB_PLUGIN=["multilab"]',
    '/bin/netlab',
    'restart',
    '--instance',
    '12',
  ]);
  expect(made).toMatchObject({ workdir: lab, instance: '12' });
});

/** The instance of the job that the request asks for. */
async function instanceOf(request: Partial<LabRequest>, context: Partial<PlanContext> = {}) {
  const { instance } = await planCommand(
    { action: 'up', options: {}, ...request },
    { ...planContext(server, known), ...context },
  );
  return instance;
}

const multilab = 'plugin: [multilab]\ndefaults: { multilab.id: 7 }\nnodes: [a]\n';

test.each<[string, Partial<LabRequest>, string]>([
  ['inline text', { topology: multilab }, '7'],
  ['an inline object', { topology: { defaults: { multilab: { id: 7 } }, nodes: ['a'] } }, '7'],
  ['a setting', { topology: multilab, options: { set: { 'defaults.multilab.id': 8 } } }, '8'],
  [
    'multilabId, which is the last setting',
    { options: { multilabId: 9, set: { 'defaults.multilab.id': 8 } } },
    '9',
  ],
  ['text that is too large to look at', { topology: `${multilab}# ${'x'.repeat(200_000)}` }, 'default'],
  ['an id that is none', { topology: 'defaults.multilab.id: [7]\nnodes: [a]' }, 'default'],
  ['text without one', { topology: 'name: multilab\nnodes: [a]' }, 'default'],
])('the instance is that of %s', async (_what, request, instance) => {
  expect(await instanceOf({ workdir: 'lab', ...request })).toBe(instance);
  expect(await instanceOf({ workdir: 'lab', ...request, action: 'create' })).toBe(instance);
});

test('the instance is that of the file', async () => {
  writeFileSync(path.join(lab, 'topology.yml'), multilab);
  expect(await instanceOf({ workdir: 'lab' })).toBe('7');
  expect(await instanceOf({ topologyPath: 'lab/topology.yml' })).toBe('7');
  writeFileSync(path.join(lab, 'topology.yml'), 'defaults.multilab.id: [\n');
  expect(await instanceOf({ workdir: 'lab' })).toBe('default');
});

test.each(['down', 'collect', 'status'] as const)(
  '%s by directory is about the lab there',
  async (action) => {
    known = { other: server, demo: lab };
    expect(await instanceOf({ action, workdir: 'lab' })).toBe('demo');
    known = {};
    expect(await instanceOf({ action, workdir: 'lab' })).toBeNull();
  },
);

test('a lab that starts from its snapshot is called what the status calls it, or what the request says', async () => {
  known = { demo: lab };
  const request = { workdir: 'lab', options: { snapshot: true } };
  expect(await instanceOf(request)).toBe('demo');
  expect(await instanceOf({ ...request, options: { snapshot: true, multilabId: 3 } })).toBe('3');
});

test('a status that fails, or takes its time, keeps nobody from anything', async () => {
  const down = { action: 'down', workdir: 'lab' } as const;
  for (const instanceIn of [
    () => Promise.reject(new Error('broken')),
    () => new Promise<never>(() => undefined),
  ]) {
    expect(await instanceOf(down, { instanceIn })).toBeNull();
  }
});
