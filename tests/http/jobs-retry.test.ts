import { beforeAll, describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expectProblem } from '../support/problem.ts';
import { startService, topologyThat, type RunningService } from '../support/service.ts';

describe('POST /jobs/{id}/retry', () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService({
      env: { LAB_API_USER: 'carol', LAB_API_PASSWORD: 'secret' },
      client: login,
    });
  });
  const login = { headers: { Authorization: `Basic ${Buffer.from('carol:secret').toString('base64')}` } };
  const fileOf = (id: string, name: string): string => path.join(service.ground.dataDir, 'jobs', id, name);

  test('runs the same request again, with the topology that came with it', async () => {
    const workdir = service.ground.makeWorkdir('inline');
    const topology = topologyThat('exit 3');
    const body = { action: 'up', workdir, topology, device: 'frr', labels: { team: 'core' }, noTools: true };
    const old = await service.ended(await service.start(body));
    const reply = await service.post(`/jobs/${old.id}/retry`);
    expect(reply.status).toBe(202);
    const { id } = reply.json;
    expect(reply.headers.location).toBe(`/jobs/${id}`);
    expect(id).not.toBe(old.id);
    const job = await service.ended(id);
    expect(job).toMatchObject({
      retryOf: old.id,
      state: 'failed',
      exitCode: 3,
      requestedBy: 'carol',
      labels: { team: 'core' },
      workdir,
      request: old.request,
      warnings: [],
    });
    const withoutFile = ({ command }: { command: string[] }) =>
      command.filter((word) => !word.endsWith('.yml'));
    expect(withoutFile(job)).toEqual(withoutFile(old));
    expect(readFileSync(fileOf(id, 'topology.yml'), 'utf8')).toBe(topology);
    const kept = await service.get(`/jobs/${id}/topology`);
    expect([kept.text, kept.headers['content-type']]).toEqual([topology, 'text/yaml; charset=utf-8']);
    expect((await service.job(old.id)).retryOf).toBeNull();
    // And again, from the retried one.
    const third = (await service.post(`/jobs/${id}/retry`)).json;
    expect(third).toMatchObject({ retryOf: id });
    await service.ended(third.id);
  });

  test('with an Idempotency-Key: the same retry once, and another for another job', async () => {
    const workdir = service.ground.makeWorkdir('keyed');
    const ids = await Promise.all([1, 2].map(async () => service.start({ action: 'status', workdir })));
    for (const id of ids) await service.ended(id);
    const key = { 'Idempotency-Key': 'retry' };
    const first = await service.post(`/jobs/${ids[0]}/retry`, undefined, key);
    const again = await service.post(`/jobs/${ids[0]}/retry`, undefined, key);
    expect(again).toMatchObject({ status: 202, headers: { 'idempotency-replayed': 'true' } });
    expect(again.json.id).toBe(first.json.id);
    expectProblem(await service.post(`/jobs/${ids[1]}/retry`, undefined, key), 422, 'idempotency-key-reused');
  });

  test('of an active job is 409 and says where it is; of none, 404', async () => {
    const workdir = service.ground.makeWorkdir('active');
    const id = await service.start({ action: 'up', workdir, topology: topologyThat('wait_for go') });
    await service.ground.waitsFor('go');
    const waiting = await service.start({ action: 'down', workdir });
    for (const [active, state] of [
      [id, 'running'],
      [waiting, 'queued'],
    ]) {
      const reply = await service.post(`/jobs/${active}/retry`);
      expectProblem(reply, 409, 'job-active');
      expect(reply.json.state).toBe(state);
    }
    service.ground.let('go');
    expectProblem(await service.post('/jobs/job-1-000000/retry'), 404, 'job-not-found');
    expectProblem(await service.post('/jobs/nonsense/retry'), 404, 'job-not-found');
    expect((await service.request(`/jobs/${id}/retry`)).headers.allow).toBe('POST, OPTIONS');
  });

  test('an instance is looked for anew: its lab may live elsewhere by now', async () => {
    const [a, b] = ['instance-a', 'instance-b'].map((name) => service.ground.makeWorkdir(name));
    const up = { action: 'up', multilabId: 7, topology: topologyThat() };
    await service.ended(await service.start({ ...up, workdir: a }));
    const down = await service.ended(await service.start({ action: 'down', instance: 7 }));
    expect(down).toMatchObject({ state: 'success', workdir: a });
    await service.ended(await service.start({ ...up, workdir: b }));
    const { id } = (await service.post(`/jobs/${down.id}/retry`)).json;
    expect(await service.ended(id)).toMatchObject({ state: 'success', workdir: b });
  });
});
