/** Leases, owners and events where a service has several lab CLIs, and what becomes of those of one that is gone. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { eventually } from '../support/eventually.ts';
import { follow, until } from '../support/followed-events.ts';
import { expectProblem } from '../support/problem.ts';
import { fixtureProgram, writeProgram } from '../support/programs.ts';
import {
  makeGround,
  startService,
  topologyThat,
  type Ground,
  type RunningService,
} from '../support/service.ts';

let ground: Ground;
let service: RunningService;
/** The containerlab of the service. */
let program = '';
/** The settings that name the lab CLIs. */
let clis = {};
/** With a lab of containerlab. */
let workdir = '';

beforeEach(async () => {
  ground = makeGround();
  program = path.join(ground.root, 'bin/containerlab');
  mkdirSync(path.dirname(program));
  copyFileSync(fixtureProgram('fake-clab/containerlab'), program);
  clis = { LAB_API_CLI: undefined, LAB_API_CLIS: [fixtureProgram('fake-netlab'), program].join(',') };
  service = await startService({ ground, env: { ...clis, FAKE_LAB_LOGS: '1' } });
  workdir = ground.makeWorkdir('of-containerlab');
  writeFileSync(path.join(workdir, 'one.clab.yml'), 'name: one\ntopology: { nodes: { h1: {} } }\n');
});
afterEach(async () => service.stop());

const up = { action: 'up', cli: 'containerlab' } as const;

async function run(body: Readonly<Record<string, unknown>>) {
  return service.ended(await service.start(body));
}

test('a lab whose time is over is taken down by its own lab CLI', async () => {
  const { id } = await run({ ...up, workdir, ttlSeconds: 3600 });
  const leased = await eventually('the lease', async () => {
    const { json } = await service.get('/labs/one');
    return json.expiresAt === null ? undefined : json;
  });
  expect(leased).toMatchObject({ cli: 'containerlab', owner: null });
  const change = { method: 'PATCH', body: { ttlSeconds: 0.2 } } as const;
  expect(await service.request('/labs/one?cli=netlab', change)).toMatchObject({ status: 404 });
  expect(await service.request('/labs/one?cli=containerlab', change)).toMatchObject({ status: 200 });
  const down = await eventually('its down', async () => {
    const { jobs } = (await service.get('/jobs?action=down')).json;
    return (jobs as { id: string; leaseOf: string }[]).find(({ leaseOf }) => leaseOf === id);
  });
  expect(await service.ended(down.id)).toMatchObject({ state: 'success', cli: 'containerlab' });
});

test('a lab whose time is over is taken down while another lab CLI fails', async () => {
  writeProgram(program, 'exit 1');
  const topology = topologyThat();
  const { id, cli } = await run({ action: 'up', workspace: 'course', topology, ttlSeconds: 0.2 });
  expect(cli).toBe('netlab');
  const down = await eventually('its down', async () => {
    const { jobs } = (await service.get('/jobs?action=down')).json;
    return (jobs as { id: string; leaseOf: string }[]).find(({ leaseOf }) => leaseOf === id);
  });
  expect(await service.ended(down.id)).toMatchObject({ state: 'success', cli: 'netlab' });
});

test('events of labs say whose they are', async () => {
  const reader = await follow(service, '?types=lab');
  const id = await service.start({ ...up, workdir });
  const events = await until(reader, ({ event, data }) => event === 'lab' && data.lab.instance === 'one');
  expect(events.at(-1)?.data).toMatchObject({
    change: 'appeared',
    lab: { cli: 'containerlab', directory: workdir },
  });
  await service.ended(id);
});

test('what lies outside the allowed directories is refused, and nothing is said of the lab there', async () => {
  await run({ ...up, workdir });
  await service.stop();
  service = await startService({
    ground,
    env: { ...clis, LAB_API_ROOTS: ground.workdir },
  });
  expect(await service.post('/jobs', { action: 'down', instance: 'one' })).toMatchObject({
    status: 403,
    json: { code: 'forbidden-path' },
  });
  const wrong = await service.post('/jobs', { action: 'down', instance: 'one', cli: 'netlab' });
  expect(wrong).toMatchObject({ status: 404, json: { code: 'instance-not-found' } });
  expect(wrong.text).not.toContain(workdir);
});

const why =
  'containerlab" is not on this server, or cannot be executed: install it, or name another lab CLI in LAB_API_CLI';

test('whoever needs a lab CLI that has gone from the machine is told which it is', async () => {
  rmSync(program);
  const refused = await service.post('/jobs', { ...up, workdir });
  expectProblem(refused, 503, 'lab-cli-missing');
  expect(refused.json.error).toContain(why);
  const fresh = { 'Cache-Control': 'no-cache' };
  expect((await service.get('/status?cli=containerlab', fresh)).json.error).toContain(why);
  expect((await service.get('/labs?cli=containerlab', fresh)).json.error).toContain(why);
  const { json } = await service.get(`/templates?dir=${workdir}&cli=containerlab`);
  expect(json.templates).toMatchObject([
    { runnable: false, obstacles: expect.arrayContaining([expect.stringContaining(why)]) },
  ]);
});

test('the labs of the others are there while one lab CLI fails', async () => {
  const topology = topologyThat(': >netlab.snapshot.pickle', 'echo x >clab.yml');
  expect(await run({ action: 'up', workspace: 'course', topology })).toMatchObject({ cli: 'netlab' });
  writeProgram(program, 'echo broken >&2; exit 1');
  const fresh = { 'Cache-Control': 'no-cache' };
  // Its run of before may go on.
  const list = await eventually('its failure', async () => {
    const { json } = await service.get('/labs', fresh);
    return json.missingClis === undefined ? undefined : json;
  });
  expect(list).toMatchObject({ labs: [{ id: 'default', cli: 'netlab' }], missingClis: ['containerlab'] });
  expect((await service.get('/labs/default', fresh)).json).toMatchObject({ workspace: 'course' });
  expect((await service.get('/workspaces')).json.workspaces).toMatchObject([
    { name: 'course', lab: 'default' },
  ]);
  expect((await service.get('/labs?cli=containerlab', fresh)).json.error).toContain('broken');
});

describe('after a restart with other settings', () => {
  const netlabOnly = { LAB_API_CLI: fixtureProgram('fake-netlab'), LAB_API_CLIS: undefined };
  const restart = async (): Promise<void> => {
    await service.stop();
    service = await startService({ ground, env: netlabOnly });
  };

  test('a job of a lab CLI that is gone is told as it was, and not run again', async () => {
    const broken = ground.makeWorkdir('broken');
    writeFileSync(path.join(broken, 'x.clab.yml'), 'name: x\n# run: fatal "no such image"\n');
    const job = await run({ ...up, workdir: broken });
    expect(job).toMatchObject({ state: 'failed', mayHaveLeftLab: true });
    await restart();
    expect(await service.job(String(job.id))).toMatchObject({
      cli: 'containerlab',
      state: 'failed',
      error: job.error,
    });
    expect(await service.post(`/jobs/${job.id}/retry`)).toMatchObject({
      status: 503,
      json: { code: 'lab-cli-missing', error: expect.stringContaining('add it to LAB_API_CLIS') },
    });
  });
});
