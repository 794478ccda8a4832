/** GET /labs/{id}/tests: what a job with `validate` would run. */
import { beforeAll, expect, test } from '@jest/globals';
import { copyFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expectProblem } from '../support/problem.ts';
import { startService, topologyThat, type RunningService } from '../support/service.ts';

const recorded = path.resolve(__dirname, '../fixtures/netlab/validate/list.txt');

let service: RunningService;
beforeAll(async () => {
  service = await startService();
});

/** A lab in a directory of its own; what is in `tests.txt` there, the lab CLI prints as its list. */
async function makeLab(id: number): Promise<string> {
  const workdir = service.ground.makeWorkdir(`lab-${id}`);
  const up = await service.start({ action: 'up', workdir, topology: topologyThat(), multilabId: id });
  expect(await service.ended(up)).toMatchObject({ state: 'success' });
  return path.join(workdir, 'tests.txt');
}

test('each test is told as jobs name it, with what is known of it', async () => {
  copyFileSync(recorded, await makeLab(3));
  const reply = await service.get('/labs/3/tests');
  expect(reply.status).toBe(200);
  const known = { description: null, nodes: ['h1'], devices: [], waitSeconds: null };
  expect(reply.json).toEqual({
    tests: [
      { name: 'first', ...known },
      { name: 'second', ...known },
    ],
  });
});

test('a lab without tests has none', async () => {
  await makeLab(4);
  expect((await service.get('/labs/4/tests')).json).toEqual({ tests: [] });
});

test('what is no list is no answer, and a lab that is not there has none', async () => {
  writeFileSync(await makeLab(5), 'something else\n');
  expectProblem(await service.get('/labs/5/tests'), 502, 'lab-cli-failed');
  expectProblem(await service.get('/labs/6/tests'), 404, 'instance-not-found');
});
