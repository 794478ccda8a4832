/** One of several lab CLIs goes from the machine while the service runs. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fixtureProgram } from '../support/programs.ts';
import { expectProblem } from '../support/problem.ts';
import { makeGround, startService, type Ground, type RunningService } from '../support/service.ts';

const why =
  'containerlab" is not on this server, or cannot be executed: install it, or name another lab CLI in LAB_API_CLI';

let ground: Ground;
let service: RunningService;
let [program, workdir] = ['', ''];

beforeEach(async () => {
  ground = makeGround();
  program = path.join(ground.root, 'gone/containerlab');
  mkdirSync(path.dirname(program));
  copyFileSync(fixtureProgram('fake-clab/containerlab'), program);
  const clis = [fixtureProgram('fake-netlab'), program].join(',');
  service = await startService({ ground, env: { LAB_API_CLI: undefined, LAB_API_CLIS: clis } });
  workdir = ground.makeWorkdir('of-containerlab');
});
afterEach(async () => service.stop());

const topology = (run: string): void =>
  writeFileSync(
    path.join(workdir, 'one.clab.yml'),
    `name: one\n# run: ${run}\ntopology: { nodes: { h1: {} } }\n`,
  );

test('whoever needs it is told which it is', async () => {
  topology(':');
  rmSync(program);
  const up = await service.post('/jobs', { action: 'up', cli: 'containerlab', workdir });
  expectProblem(up, 503, 'lab-cli-missing');
  expect(up.json.error).toContain(why);
  const fresh = { 'Cache-Control': 'no-cache' };
  expect((await service.get('/status?cli=containerlab', fresh)).json.error).toContain(why);
  expect((await service.get('/labs', fresh)).json.error).toContain(why);
  const { json } = await service.get(`/templates?dir=${workdir}&cli=containerlab`);
  expect(json.templates).toMatchObject([
    { runnable: false, obstacles: expect.arrayContaining([expect.stringContaining(why)]) },
  ]);
});
