/** What a request must say, what it cannot have, and what a lab CLI is told besides. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { symlinkSync } from 'node:fs';
import path from 'node:path';
import { AllowedRoots } from '../../../../src/labs/system/allowed-roots.ts';
import { containerlab } from '../../../../src/labs/drivers/containerlab/containerlab.ts';
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
  return (await planAndCommand(request, { ...planContext(server, known), ...context })).plan;
}

test.each([
  ['exec', {}, 'nodes'],
  ['exec', { nodes: [], command: ['id'] }, 'nodes'],
  ['exec', { nodes: ['h1'] }, 'command'],
  ['config', { limit: 'h1' }, 'template'],
] as const)('%s with %j misses %s', async (action, options, field) => {
  expect(
    await failureOf(plan({ action, workdir: 'lab', options: options as LabRequest['options'] })),
  ).toMatchObject({
    code: 'invalid-request',
    message: `${field}: is required by "${action}"`,
  });
});

test('options that an action has with other lab CLIs only are refused, with theirs', async () => {
  const refusal = async (name: string, value: unknown, context: Partial<PlanContext> = {}) =>
    failureOf(plan({ workdir: 'lab', options: { [name]: value } }, context));
  expect((await refusal('reconfigure', true)).message).toBe(
    'reconfigure: belongs to "up" of "containerlab", and this server runs "netlab" (LAB_API_CLI)',
  );
  expect((await refusal('reconfigure', true, { others: ['engine', 'containerlab'] })).message).toBe(
    'reconfigure: belongs to "up" of "containerlab", and this job is for "netlab" ("cli")',
  );
  const cli = { name: 'containerlab', file: '/bin/netlab', binDirs: [], driver: containerlab };
  // One of the two is beside it.
  expect((await refusal('device', 'frr', { cli, others: ['engine'] })).message).toBe(
    'device: belongs to "up" of "netlab" and "engine", and this job is for "containerlab" ("cli")',
  );
  const { warnings } = await plan({ action: 'create', workdir: 'lab', options: { graceful: true } });
  expect(warnings).toEqual([
    'option "graceful" is ignored: it belongs to "down", "restart" of "containerlab"',
  ]);
});

test('an action that the lab CLI does not have is refused', async () => {
  const { code, message } = await failureOf(plan({ action: 'stop-nodes', options: { nodes: ['h1'] } }));
  expect(code).toBe('not-supported');
  expect(message).toMatch(/^netlab has no "stop-nodes": /);
  const { cli } = planContext(server, known);
  const bundled = { ...cli, driver: { ...cli.driver, isBundled: true } };
  expect((await failureOf(plan({ action: 'stop-nodes' }, { cli: bundled }))).message).toMatch(
    /^the bundled engine has no/,
  );
});

test('a free id is taken for a lab that starts, and no other', async () => {
  const options = { multilabId: 'auto' } as const;
  const { command, ...planned } = await planCommand(
    { action: 'up', workdir: 'lab', options },
    planContext(server, known),
  );
  expect(planned).toMatchObject({ takesFreeId: true, instance: null });
  expect(command(saved, 12)).toContain('defaults.multilab.id=12');
  expect((await failureOf(plan({ action: 'create', workdir: 'lab', options }))).message).toBe(
    'multilabId: "auto" goes with "up" only: give a number from 1 to 200',
  );
  const started = plan({ workdir: 'lab', options: { ...options, snapshot: true } });
  expect(await failureOf(started)).toMatchObject({ errors: [{ field: 'multilabId' }] });
});

test('a snapshot that a link leads to must lie inside the roots', async () => {
  const roots = new AllowedRoots([lab]);
  const up = async () => plan({ workdir: lab, options: { snapshot: true } }, { roots });
  expect((await up()).args).toEqual(['up', '--snapshot']);
  symlinkSync('/etc/hostname', path.join(lab, 'netlab.snapshot.pickle'));
  expect(await failureOf(up())).toMatchObject({ code: 'forbidden-path', errors: [{ field: 'snapshot' }] });
  // It is for nobody who does not start from it.
  expect((await plan({ workdir: lab }, { roots })).args).toEqual(['up', path.join(lab, 'topology.yml')]);
});

describe('LAB_API_MULTILAB_ID=auto', () => {
  const multilabId = 'auto';
  const takes = async (request: Partial<LabRequest>, context: Partial<PlanContext> = {}) => {
    const { takesFreeId, instance } = await plan({ workdir: 'lab', ...request }, { multilabId, ...context });
    return takesFreeId ? 'free' : instance;
  };

  test('gives an "up" without a multilab id a free one', async () => {
    expect(await takes({})).toBe('free');
    expect(await takes({ topology: 'nodes: [a]' })).toBe('free');
    expect(await takes({}, { multilabId: undefined })).toBe('default');
    const { command } = await planCommand(
      { action: 'up', workdir: 'lab', options: {} },
      { ...planContext(server, known), multilabId },
    );
    expect(command(saved, 12)).toContain('defaults.multilab.id=12');
  });

  test.each<[string, Partial<LabRequest>, string | null]>([
    ['a number in the request', { options: { multilabId: 7 } }, '7'],
    ['a number in the topology', { topology: 'defaults.multilab.id: 8\nnodes: [a]' }, '8'],
    ['a number among the settings', { options: { set: { 'defaults.multilab.id': 9 } } }, '9'],
    ['a snapshot', { options: { snapshot: true } }, null],
    ['another action', { action: 'create' }, 'default'],
  ])('leaves %s as it is', async (_what, request, instance) => {
    expect(await takes(request)).toBe(instance);
  });

  test('means nothing to containerlab', async () => {
    const cli = { name: 'containerlab', file: '/bin/netlab', binDirs: [], driver: containerlab };
    const topology = 'name: default\ntopology: { nodes: { a: {} } }';
    expect(await takes({ topology }, { cli, runIn: async () => printed('{}') })).toBe('default');
  });
});
