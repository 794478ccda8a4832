import { beforeAll, describe, expect, test } from '@jest/globals';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expectProblem } from '../support/problem.ts';
import { startService, topologyThat, type RunningService } from '../support/service.ts';

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

test('LAB_API_MULTILAB_ID=auto: labs of requests without an id run side by side', async () => {
  const service = await startService({ env: { LAB_API_MULTILAB_ID: 'auto' } });
  const up = async (name: string) =>
    service.ended(
      await service.start({
        action: 'up',
        workdir: service.ground.makeWorkdir(name),
        topology: topologyThat(),
      }),
    );
  const [first, second] = [await up('one'), await up('other')];
  expect([first.state, second.state]).toEqual(['success', 'success']);
  expect([first.instance, second.instance].map(Number)).toEqual([1, 2]);
  expect(first.request).not.toHaveProperty('multilabId');
});
