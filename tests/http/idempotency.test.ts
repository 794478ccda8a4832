import { beforeAll, describe, expect, test } from '@jest/globals';
import { rmSync } from 'node:fs';
import type { Reply } from '../support/http-client.ts';
import { expectProblem, wrongFields } from '../support/problem.ts';
import { makeGround, startService, topologyThat, type RunningService } from '../support/service.ts';

const key = (value: string) => ({ 'Idempotency-Key': value });

let service: RunningService;
beforeAll(async () => {
  service = await startService();
});

let count = 0;
function body(fields: Record<string, unknown> = {}) {
  const workdir = service.ground.makeWorkdir(`place-${(count += 1)}`);
  return { action: 'create', workdir, topology: topologyThat(), ...fields };
}

async function jobsIn(workdir: string): Promise<string[]> {
  const { jobs } = (await service.get(`/jobs?workdir=${encodeURIComponent(workdir)}`)).json;
  return jobs.map((job: { id: string }) => job.id);
}

describe('the same request again', () => {
  test('is answered with the job that the first one made, as it is now', async () => {
    const request = body();
    const first = await service.post('/jobs', request, key('again'));
    expect(first.status).toBe(202);
    expect(first.headers['idempotency-replayed']).toBeUndefined();
    const ended = await service.ended(first.json.id);
    const second = await service.post('/jobs', request, key('again'));
    expect(second.status).toBe(202);
    expect(second.headers).toMatchObject({
      location: `/jobs/${first.json.id}`,
      'idempotency-replayed': 'true',
    });
    expect(second.json).toEqual(ended);
    expect(await jobsIn(request.workdir)).toEqual([first.json.id]);
  });

  test.each([
    ['another topology', { topology: topologyThat('true') }],
    ['another action', { action: 'status' }],
    ['one more field', { quiet: true }],
  ])('%s is another request: 422', async (what, change) => {
    const request = body();
    const { id } = (await service.post('/jobs', request, key(what.replaceAll(' ', '-')))).json;
    const reply = await service.post('/jobs', { ...request, ...change }, key(what.replaceAll(' ', '-')));
    expectProblem(reply, 422, 'idempotency-key-reused');
    expect(reply.json.jobId).toBe(id);
    expect(await jobsIn(request.workdir)).toEqual([id]);
  });

  test('a refused request leaves its key free', async () => {
    const request = body({ topology: 'a: [' });
    expectProblem(await service.post('/jobs', request, key('refused')), 400, 'invalid-request');
    const reply = await service.post('/jobs', { ...request, topology: topologyThat() }, key('refused'));
    expect(reply.status).toBe(202);
    expect(reply.headers['idempotency-replayed']).toBeUndefined();
  });

  test('fifty at once make one job', async () => {
    const request = body();
    const replies = await Promise.all(
      Array.from({ length: 50 }, async () => service.post('/jobs', request, key('fifty'))),
    );
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([202]));
    expect(new Set(replies.map(({ json }) => json.id)).size).toBe(1);
    const isNew = (reply: Reply): boolean => reply.headers['idempotency-replayed'] === undefined;
    expect(replies.filter(isNew)).toHaveLength(1);
    expect(await jobsIn(request.workdir)).toHaveLength(1);
  });
});

describe('the key', () => {
  test('that is none is refused, and the header is named', async () => {
    const reply = await service.post('/jobs', body(), key('two words'));
    expectProblem(reply, 400, 'invalid-request');
    expect(wrongFields(reply)).toEqual(['Idempotency-Key']);
    expect(reply.json.detail).toContain('Idempotency-Key');
  });

  test('is not shown', async () => {
    const reply = await service.post('/jobs', body(), key('secret-key'));
    expect(reply.text).not.toContain('secret-key');
    expect((await service.get('/jobs?limit=1')).text).not.toContain('secret-key');
  });
});

test('a repetition works when new jobs are refused, and after a restart in which its directory went', async () => {
  const ground = makeGround();
  const { workdir } = ground;
  const request = { action: 'up', workdir, topology: topologyThat('wait_for go') };
  const old = await startService({ ground, env: { LAB_API_MAX_QUEUED_JOBS: '1' } });
  const { id } = (await old.post('/jobs', request, key('first'))).json;
  await ground.waitsFor('go');
  await old.post('/jobs', request, key('second'));
  expectProblem(await old.post('/jobs', request, key('third')), 429, 'queue-full');
  expect((await old.post('/jobs', request, key('first'))).json).toMatchObject({ id, state: 'running' });
  await old.stop();

  const full = await startService({ ground, env: { LAB_API_MIN_FREE_DISK: '1000TiB' } });
  ground.let('go');
  await full.ended(id);
  rmSync(workdir, { recursive: true });
  expectProblem(await full.post('/jobs', { action: 'status' }, key('fourth')), 503, 'disk-full');
  const reply = await full.post('/jobs', request, key('first'));
  expect(reply).toMatchObject({ status: 202, json: { id, state: 'success' } });
  expect(reply.headers['idempotency-replayed']).toBe('true');
});
