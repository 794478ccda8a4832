/** What is meant for one lab does nothing to another: jobs in a directory without a lab, and an `up` that is refused. */
import { beforeAll, expect } from '@jest/globals';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { freeInstanceNumber, missingForAnyLabs } from '../support/engine-cli.ts';
import { preparedLabs } from '../support/prepared-labs.ts';
import { startProgram, type RunningProgram } from '../support/service.ts';

const { because, home, root, it, takeDownLater } = preparedLabs({ missing: missingForAnyLabs() });
const multilabId = freeInstanceNumber();
const instance = String(multilabId);
const workdir = path.join(root, 'ours');
takeDownLater({ where: { home, directory: workdir }, instance });

const topology = 'nodes: [h1, h2]\nlinks: [h1-h2]\n';
let service: RunningProgram;

const run = async (body: Readonly<Record<string, unknown>>) =>
  service.ended(await service.start({ workdir, ...body }));
const stateOfLab = async (): Promise<unknown> =>
  (await service.get(`/labs/${instance}`, { 'Cache-Control': 'no-cache' })).json['state'];

beforeAll(async () => {
  if (because !== '') return;
  mkdirSync(workdir);
  mkdirSync(path.join(root, 'empty'));
  service = await startProgram({ env: { LAB_API_CLI: 'engine', LAB_HOME: home } });
  expect(await run({ action: 'up', topology, multilabId })).toMatchObject({ state: 'success' });
});

it.each([
  { action: 'exec', nodes: ['h1'], command: ['true'] },
  { action: 'validate' },
  { action: 'collect' },
])(`$action in a directory without a lab fails, and says where there is one${because}`, async (body) => {
  const job = await run({ ...body, workdir: path.join(root, 'empty') });
  expect(job).toMatchObject({ state: 'failed', exitCode: 1 });
  expect(job['error']).toContain(`choose one with --instance: ${instance} in ${workdir}`);
});

it.each([
  ['its topology is wrong', { topology: 'nodes: [h1]\nlinks: [h1-h9]\n', multilabId }],
  ['a lab runs there already', { topology, multilabId: freeInstanceNumber() }],
])(
  `an "up" that is refused because %s leaves the lab alone that was there before${because}`,
  async (_, body) => {
    const job = await run({ action: 'up', onFailure: 'down', onCancel: 'down', ...body });
    expect(job).toMatchObject({ state: 'failed', mayHaveLeftLab: false, cleanupJobId: null });
    expect(job['error']).not.toContain('run "down"');
    expect(await stateOfLab()).toBe('started');
  },
);
