import { beforeAll, describe, expect, test } from '@jest/globals';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { eventually } from '../support/eventually.ts';
import { expectProblem } from '../support/problem.ts';
import { makeGround, startService, topologyThat, type RunningService } from '../support/service.ts';

/** The ids that are given out at the moment, as the files of all services on the machine say. */
function claimed(service: RunningService): string[] {
  const directory = path.join(service.ground.env['HOME'] ?? '', '.netlab', 'lab-api', 'ids');
  if (!existsSync(directory)) return [];
  return readdirSync(directory).flatMap((name) => /^(\d+)\.json$/.exec(name)?.[1] ?? []);
}

describe('"multilabId": "auto"', () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService();
  });
  const up = (name: string, more: object = {}) => ({
    action: 'up',
    workdir: service.ground.makeWorkdir(name),
    topology: topologyThat(),
    multilabId: 'auto',
    ...more,
  });

  test('tells the id in the reply to the request, and starts the lab with it', async () => {
    const reply = await service.post('/jobs', up('told'));
    expect(reply.status).toBe(202);
    const { id, instance, command, request } = reply.json;
    expect(instance).toMatch(/^\d+$/);
    expect(command.slice(-4)).toEqual(['--plugin', 'multilab', '--set', `defaults.multilab.id=${instance}`]);
    expect(request.multilabId).toBe('auto');
    expect(await service.ended(id)).toMatchObject({ state: 'success', instance });
    expect(Object.keys((await service.get('/status')).json)).toContain(instance);
    expect(claimed(service)).toContain(instance);
  });

  test('gives the id back after "down"', async () => {
    const body = up('given-back');
    const { id, instance } = (await service.post('/jobs', body)).json;
    await service.ended(id);
    await service.ended(await service.start({ action: 'down', workdir: body.workdir }));
    await eventually('the id to be given back', () => !claimed(service).includes(instance));
  });

  test('gives the id back after an "up" that failed, and after one that was canceled while it waited', async () => {
    const { id, instance } = (await service.post('/jobs', up('failed', { topology: topologyThat('exit 3') })))
      .json;
    expect((await service.ended(id)).state).toBe('failed');
    const gated = up('gated', { topology: topologyThat('wait_for free-id') });
    const first = (await service.post('/jobs', gated)).json;
    const second = (await service.post('/jobs', gated)).json;
    expect(second.instance).not.toBe(first.instance);
    expect((await service.post(`/jobs/${second.id}/cancel`)).json.state).toBe('canceled');
    await eventually('both ids to be given back', () =>
      [instance, second.instance].every((other) => !claimed(service).includes(other)),
    );
    expect(claimed(service)).toContain(first.instance);
    service.ground.let('free-id');
    await service.ended(first.id);
  });

  test('the same request with the same Idempotency-Key takes one id; a retry takes another', async () => {
    const body = up('again', { topology: topologyThat('exit 3') });
    const key = { 'Idempotency-Key': 'once' };
    const [one, two] = [await service.post('/jobs', body, key), await service.post('/jobs', body, key)];
    expect(two.json.instance).toBe(one.json.instance);
    await service.ended(one.json.id);
    const retried = (await service.post(`/jobs/${one.json.id}/retry`)).json;
    expect(retried.instance).toMatch(/^\d+$/);
    expect(retried.instance).not.toBe(one.json.instance);
    await service.ended(retried.id);
  });

  test('is for a lab that is started from a topology', async () => {
    const created = await service.post('/jobs', up('created', { action: 'create' }));
    expectProblem(created, 400, 'invalid-request');
    expect(created.json.detail).toContain('"auto" goes with "up" only');
    const snapshot = await service.post('/jobs', up('snapshot', { snapshot: true }));
    expectProblem(snapshot, 400, 'invalid-request');
    expect(snapshot.json.detail).toContain('the snapshot has its id');
    expectProblem(await service.post('/jobs', up('word', { multilabId: 'any' })), 400, 'invalid-request');
  });

  test('a request that is refused holds no id', async () => {
    const before = new Set(claimed(service));
    const body = up('refused', { topology: topologyThat('wait_for refused'), onConflict: 'reject' });
    const { id, instance } = (await service.post('/jobs', body)).json;
    expectProblem(await service.post('/jobs', body), 409, 'workdir-busy');
    expect(claimed(service).filter((other) => !before.has(other))).toEqual([instance]);
    service.ground.let('refused');
    await service.ended(id);
  });
});

test('two services on one machine, asked at the same time, never give out the same id', async () => {
  const ground = makeGround();
  const env = { LAB_API_MAX_RUNNING_JOBS: '1' };
  const one = await startService({ ground, env });
  const two = await startService({
    ground,
    env: { ...env, LAB_API_DATA_DIR: path.join(ground.root, 'other') },
  });
  const workdir = ground.makeWorkdir('many');
  // None of them is started yet but one: ids are held by jobs that wait, too.
  const body = { action: 'up', workdir, topology: topologyThat('wait_for many'), multilabId: 'auto' };
  const replies = await Promise.all(
    Array.from({ length: 40 }, async (_, index) => (index % 2 === 0 ? one : two).post('/jobs', body)),
  );
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 202));
  expect(new Set(replies.map(({ json }) => json.instance)).size).toBe(40);
});

test('when all ids are taken, the request is refused and says what to do', async () => {
  const service = await startService();
  const directory = path.join(service.ground.env['HOME']!, '.netlab', 'lab-api', 'ids');
  mkdirSync(directory, { recursive: true });
  for (let id = 1; id <= 200; id += 1) writeFileSync(path.join(directory, `${id}.json`), 'of somebody else');
  const body = {
    action: 'up',
    workdir: service.ground.workdir,
    topology: topologyThat(),
    multilabId: 'auto',
  };
  const refused = await service.post('/jobs', body);
  expectProblem(refused, 409, 'no-free-id');
  expect(refused.json.detail).toContain('stop labs that are not needed');
  expect((await service.get('/jobs')).json.jobs).toEqual([]);
});
