import { beforeEach, describe, expect, test } from '@jest/globals';
import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { AllowedRoots } from '../../../../src/labs/system/allowed-roots.ts';
import type { LabRequest, PlanContext } from '../../../../src/labs/plan/plan-command.ts';
import { AppError } from '../../../../src/lib/app-error.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { planAndCommand, planContext, saved, serverWithLab } from '../../../support/plan-context.ts';
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

  test('an inline object becomes YAML that means the same in YAML 1.1', async () => {
    const topology = {
      nodes: { no: { x: 'yes', y: '1:30', z: '0o17' }, b: null },
      links: ['a-b'],
      n: 1,
      s: '1',
      t: true,
    };
    const { topologyText } = await plan({ action: 'create', topology });
    for (const version of ['1.1', '1.2'] as const)
      expect(parse(topologyText ?? '', { version })).toEqual(topology);
  });

  test('the first field wins and the others are named', async () => {
    const { warnings, topologyText } = await plan({ topology: 'nodes: [a]', topologyPath: 'x.yml' });
    expect(topologyText).toBe('nodes: [a]');
    expect(warnings).toEqual(['topologyPath is ignored: topology comes first']);
    const request = { topologyUrl: 'http://127.0.0.1/', topology: 'x', topologyPath: 'y' };
    expect(await failureOf(plan(request))).toMatchObject({ code: 'forbidden-host' });
  });

  test('a named file', async () => {
    const { args } = await plan({ topologyPath: 'lab/topology.yml' });
    expect(args).toEqual(['up', path.join(lab, 'topology.yml')]);
    expect(await failureOf(plan({ topologyPath: 'x.yml' }))).toMatchObject({
      code: 'topology-not-found',
      errors: [{ field: 'topologyPath', message: expect.stringMatching(/^there is no file \/.*\/x\.yml$/) }],
    });
    expect(await failureOf(plan({}))).toMatchObject({ code: 'invalid-request' });
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
      'option "instance" is ignored: it belongs to "down", "collect", "status", "restart", "validate", "initial", "config", "exec"',
    ]);
  });
});

describe('an instance', () => {
  const options = { instance: 'demo' };

  test.each(['down', 'collect'] as const)('%s runs in its directory', async (action) => {
    known = { demo: lab };
    expect(await plan({ action, options })).toMatchObject({ workdir: lab, instance: 'demo', warnings: [] });
    expect(await plan({ action, options, workdir: 'lab' })).toMatchObject({ workdir: lab, warnings: [] });
    expect(await plan({ action, options, workdir: '.' })).toMatchObject({
      workdir: lab,
      warnings: [`workdir is ignored: instance "demo" lives in ${lab}`],
    });
  });

  test('a broken status does not keep a lab from being stopped where it is', async () => {
    const directoryOf = () => Promise.reject(new AppError('lab-cli-failed', 'broken'));
    const down = { action: 'down', options } as const;
    expect((await plan({ ...down, workdir: 'lab' }, { directoryOf })).workdir).toBe(lab);
    expect(await failureOf(plan(down, { directoryOf }))).toMatchObject({ code: 'lab-cli-failed' });
    // It is told the instance, and so stops no other; `collect` is not told.
    expect((await plan({ ...down, workdir: 'lab' }, { directoryOf })).args).toEqual([
      'down',
      '--instance',
      'demo',
    ]);
    const collect = { action: 'collect', options, workdir: 'lab' } as const;
    expect(await failureOf(plan(collect, { directoryOf }))).toMatchObject({ code: 'lab-cli-failed' });
  });

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
