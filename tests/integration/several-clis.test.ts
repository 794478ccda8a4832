/** The real netlab and the real containerlab in one service, of which netlab runs the other. */
import { expect, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  containerlab,
  containersOf,
  environment,
  images,
  netlabTopology,
  runJob,
  uniqueLab,
} from '../support/containerlab.ts';
import { takeLabServer } from '../support/lab-server.ts';
import { requirement } from '../support/requirements.ts';
import { startProgram } from '../support/service.ts';

const missing = containerlab.missing ?? requirement('netlab').missing;
const because = missing === undefined ? '' : ` (skipped: ${missing})`;
const it = missing === undefined ? test : test.skip;

// Beside the labs of other tests.
const id = 194;

it(`labs of both are shown once, and each is stopped by its own${because}`, async () => {
  const giveBack = await takeLabServer();
  const name = uniqueLab('both');
  const { LAB_API_CLI: _one, ...variables } = environment;
  const service = await startProgram({
    env: { ...variables, LAB_API_CLI: undefined, LAB_API_CLIS: 'netlab,containerlab' },
  });
  const { ground } = service;
  const [netlabDir, ownDir] = [ground.makeWorkdir('of-netlab'), ground.makeWorkdir('own')];
  writeFileSync(path.join(netlabDir, 'topology.yml'), netlabTopology(id));
  const nodes = { h1: { kind: 'linux', image: images.host } };
  writeFileSync(path.join(ownDir, 'own.clab.yml'), JSON.stringify({ name, topology: { nodes } }));
  const labs = async (): Promise<unknown> => {
    const { json } = await service.get('/labs', { 'Cache-Control': 'no-cache' });
    const all = json.labs as { id: string; cli: string; workdir: string }[];
    return all.filter(({ workdir }) => [netlabDir, ownDir].includes(workdir)).map((lab) => [lab.cli, lab.id]);
  };
  try {
    const first = await runJob(service, { action: 'up', workdir: netlabDir, noConfig: true });
    expect(first.job).toMatchObject({ state: 'success', cli: 'netlab', instance: String(id) });
    const second = await runJob(service, { action: 'up', workdir: ownDir, cli: 'containerlab' });
    expect(second.job).toMatchObject({ state: 'success', cli: 'containerlab', instance: name });
    expect(await containersOf(`ml-${id}`)).toHaveLength(2);
    expect(await labs()).toEqual([
      ['netlab', String(id)],
      ['containerlab', name],
    ]);
    for (const [cli, where] of [
      ['containerlab', { workdir: netlabDir }],
      ['containerlab', { instance: `ml-${id}` }],
      ['netlab', { instance: name }],
    ])
      expect(await service.post('/jobs', { action: 'down', cli, ...(where as object) })).toMatchObject({
        status: 409,
        json: {
          error: expect.stringMatching(cli === 'netlab' ? /"cli": "containerlab"/ : /"cli": "netlab"/),
        },
      });
    for (const [lab, node] of [
      [String(id), 'h2'],
      [name, 'h1'],
    ]) {
      const reply = await service.post(`/labs/${lab}/nodes/${node}/exec`, { command: ['hostname'] });
      expect(reply.json).toMatchObject({ output: `${node}\n`, exitCode: 0 });
    }
    expect((await runJob(service, { action: 'down', workdir: ownDir })).job).toMatchObject({
      state: 'success',
    });
    expect(await labs()).toEqual([['netlab', String(id)]]);
  } finally {
    const { job } = await runJob(service, { action: 'down', workdir: netlabDir, cleanup: true, force: true });
    expect(job).toMatchObject({ state: 'success', cli: 'netlab' });
    giveBack();
  }
  expect(await labs()).toEqual([]);
  expect(await containersOf(`ml-${id}`)).toEqual([]);
}, 400_000);
