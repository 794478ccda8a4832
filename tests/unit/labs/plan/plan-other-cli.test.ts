/** A request to containerlab: options that it has not, labs that it would take for others. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { containerlab } from '../../../../src/labs/drivers/containerlab/containerlab.ts';
import type { LabRequest, PlanContext } from '../../../../src/labs/plan/plan-command.ts';
import { container } from '../../../support/containerlab-recorded.ts';
import { printed } from '../../../support/run-result.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { planAndCommand, planContext, serverWithLab } from '../../../support/plan-context.ts';
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
  const ofContainerlab: PlanContext = {
    ...planContext(server, known),
    cli: { name: 'containerlab', file: '/bin/containerlab', binDirs: [], driver: containerlab },
    runIn: async () => {
      const labs = Object.entries(known).map(([id, workdir]) => [id, [container('r1', workdir, id)]]);
      return Promise.resolve(printed(JSON.stringify(Object.fromEntries(labs))));
    },
    entryOf: async (id) => {
      const workdir = known[id];
      return Promise.resolve(
        workdir === undefined ? undefined : { containers: [container('r1', workdir, id)] },
      );
    },
    ...context,
  };
  return (await planAndCommand({ workdir: lab, ...request }, ofContainerlab)).plan;
}

const fieldOf = async (request: Partial<LabRequest>, context: Partial<PlanContext> = {}) => {
  const { code, errors, message } = await failureOf(plan(request, context));
  return { code, field: errors?.[0]?.field, message };
};

describe('an option', () => {
  const topology = 'name: demo\n';

  test.each<[LabRequest['action'], LabRequest['options'], string, string]>([
    ['up', { plugin: ['multilab'] }, 'plugin', '"netlab" and "engine"'],
    ['up', { multilabId: 7 }, 'multilabId', '"netlab" and "engine"'],
    ['up', { reloadConfig: 'config' }, 'reloadConfig', '"netlab"'],
    ['create', { output: ['yaml=x'] }, 'output', '"netlab"'],
    ['collect', { collectTar: 'x.tar' }, 'collectTar', '"netlab"'],
    ['down', { dryRun: true }, 'dryRun', '"netlab"'],
    ['restart', { noConfig: true }, 'noConfig', '"netlab"'],
  ])('of another lab CLI is refused: %s with %j', async (action, options, field, whose) => {
    expect(await fieldOf({ action, topology, options })).toEqual({
      code: 'invalid-request',
      field,
      message: expect.stringMatching(
        new RegExp(`^${field}: belongs to "${action}" of ${whose}.*, and this server runs "containerlab"`),
      ),
    });
  });
});

describe('a topology', () => {
  test('in the directory is found by its name', async () => {
    writeFileSync(path.join(lab, 'a.clab.yml'), 'name: demo\n');
    expect(await plan({})).toMatchObject({
      args: ['deploy', '--topo', path.join(lab, 'a.clab.yml'), '--name', 'demo'],
      instance: 'demo',
      topologyText: undefined,
    });
  });

  test.each(['topology: { nodes: { a: } }\n', { topology: { nodes: { a: null } } }])(
    'without a name is refused: %j',
    async (topology) => {
      expect(await fieldOf({ topology })).toMatchObject({ code: 'invalid-request', field: 'topology' });
    },
  );
});

describe('which lab is meant', () => {
  test('is what runs in the directory, else what its files say', async () => {
    expect(await fieldOf({ action: 'down' })).toMatchObject({ field: 'instance' });
    const file = path.join(lab, 'a.clab.yml');
    writeFileSync(file, 'name: demo\n');
    const left = ['destroy', '--topo', file, '--name', 'demo'];
    expect(await plan({ action: 'down' })).toMatchObject({ args: left });
    known = { other: lab };
    expect(await plan({ action: 'down' })).toMatchObject({ args: ['destroy', '--name', 'other'] });
  });

  test.each(['down', 'restart', 'collect'] as const)(
    '%s is refused, when that runs elsewhere: who may use this directory may not use that one',
    async (action) => {
      known = { victim: path.join(server, 'elsewhere') };
      mkdirSync(path.join(lab, 'clab-victim'));
      expect(await fieldOf({ action })).toMatchObject({ code: 'conflict' });
      const options = { nodes: ['*'], command: ['id'] };
      expect(await fieldOf({ action: 'exec', options })).toMatchObject({ code: 'conflict' });
    },
  );

  test('up is refused, when one of that name runs elsewhere, or another one here', async () => {
    known = { demo: path.join(server, 'elsewhere') };
    expect(await fieldOf({ topology: 'name: demo\n' })).toMatchObject({ code: 'conflict' });
    known = { other: lab };
    expect(await fieldOf({ topology: 'name: demo\n' })).toMatchObject({ code: 'conflict' });
    known = { demo: lab };
    expect(await plan({ topology: 'name: demo\n' })).toMatchObject({ instance: 'demo' });
  });
});
