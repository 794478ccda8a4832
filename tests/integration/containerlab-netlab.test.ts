/** A lab that netlab starts with containerlab is netlab's to stop. */
import { expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { containerlab, containersOf, environment, netlabTopology, runJob } from '../support/containerlab.ts';
import { takeLabServer } from '../support/lab-server.ts';
import { requirement } from '../support/requirements.ts';
import { startProgram } from '../support/service.ts';

const missing = containerlab.missing ?? requirement('netlab').missing;
const because = missing === undefined ? '' : ` (skipped: ${missing})`;
const it = missing === undefined ? test : test.skip;

// Beside the labs of other tests, which have the default instance.
const id = 193;
const lab = `ml-${id}`;

it(`a service with containerlab shows it, and leaves it alone${because}`, async () => {
  const giveBack = await takeLabServer();
  const service = await startProgram({ env: environment });
  const { ground } = service;
  const workdir = ground.makeWorkdir('of-netlab');
  writeFileSync(path.join(workdir, 'topology.yml'), netlabTopology(id));
  const env = { ...process.env, HOME: ground.env['HOME'], PATH: environment.PATH };
  const netlab = async (...args: readonly string[]) =>
    promisify(execFile)('netlab', args, { cwd: workdir, env, timeout: 120_000 });
  try {
    await netlab('up', '--no-config');
    const { json } = await service.get(`/labs/${lab}`, { 'Cache-Control': 'no-cache' });
    expect(json).toMatchObject({ id: lab, state: 'started', workdir });
    for (const action of ['down', 'restart'])
      for (const where of [{ workdir }, { instance: lab }]) {
        const reply = await service.post('/jobs', { action, ...where });
        expect(reply).toMatchObject({ status: 409, json: { code: 'conflict' } });
        expect(reply.json.error).toContain('was started by netlab');
      }
    const { job } = await runJob(service, { action: 'exec', workdir, nodes: ['h1'], command: ['hostname'] });
    expect(job.result.nodes).toMatchObject([{ node: 'h1', output: 'h1\n', exitCode: 0 }]);
    expect(await containersOf(lab)).toHaveLength(2);
  } finally {
    await netlab('down', '--cleanup', '--force');
    giveBack();
  }
  expect(await containersOf(lab)).toEqual([]);
}, 400_000);
