/** GET /jobs/{id} with `wait`, and its entity tag. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Reply } from '../support/http-client.ts';
import { expectProblem, wrongFields } from '../support/problem.ts';
import { makeGround, startService, topologyThat, type RunningService } from '../support/service.ts';

let service: RunningService;
beforeAll(async () => {
  service = await startService();
});

/** A job that runs until the test lets it go on. */
async function running(...commands: string[]) {
  const name = `go-${Math.random()}`;
  const workdir = service.ground.makeWorkdir(name);
  const topology = topologyThat(...commands, `wait_for ${name}`);
  const id = await service.start({ action: 'create', workdir, topology });
  await service.ground.waitsFor(name);
  return { id, end: () => service.ground.let(name) };
}

describe('wait', () => {
  test('is answered at the end of the job, however many wait', async () => {
    const { id, end } = await running();
    const waiting = Array.from({ length: 500 }, async () => service.get(`/jobs/${id}?wait=60`));
    const head = service.request(`/jobs/${id}?wait=60`, { method: 'HEAD' });
    await service.get(`/jobs/${id}?wait=0.2`);
    end();
    const replies = await Promise.all(waiting);
    expect(new Set(replies.map(({ json }) => json.state))).toEqual(new Set(['success']));
    expect(await head).toMatchObject({ status: 200, text: '' });
    expect((await head).headers.etag).toBe(replies[0]?.headers.etag);
    // Of a job that has ended, at once.
    expect((await service.get(`/jobs/${id}?wait=60`)).json.state).toBe('success');
  });

  test.each(['0', '0.05', '0.0'])('is answered when %s seconds are over', async (seconds) => {
    const { id, end } = await running();
    expect(await service.get(`/jobs/${id}?wait=${seconds}`)).toMatchObject({
      status: 200,
      json: { state: 'running' },
    });
    end();
  });

  test.each(['wait=60.1', 'wait=61', 'wait=1e9', 'wait=-1', 'wait=', 'wait=x', 'wait=.5', 'wait=1&wait=2'])(
    '%s is 400',
    async (query) => {
      const reply = await service.get(`/jobs/job-1-000000?${query}`);
      expectProblem(reply, 400, 'invalid-request');
      expect(wrongFields(reply)).toEqual(['wait']);
    },
  );

  test('for a job that is not there is 404 at once', async () => {
    expectProblem(await service.get('/jobs/job-1-000000?wait=60'), 404, 'job-not-found');
  });

  test('is answered when the service shuts down', async () => {
    const ground = makeGround();
    const stopping = await startService({ ground });
    const topology = topologyThat('wait_for go');
    const id = await stopping.start({ action: 'create', workdir: ground.workdir, topology });
    await ground.waitsFor('go');
    const waiting = stopping.get(`/jobs/${id}?wait=60`);
    await stopping.get(`/jobs/${id}?wait=0.2`);
    await stopping.stop();
    expect(await waiting).toMatchObject({ status: 200, json: { state: 'running' } });
    ground.let('go');
  });
});

describe('ETag', () => {
  const unless = async (id: string, reply: Reply, query = ''): Promise<Reply> =>
    service.get(`/jobs/${id}${query}`, { 'If-None-Match': String(reply.headers.etag) });

  test('saves the body of what has not changed', async () => {
    const { id, end } = await running();
    const first = await service.get(`/jobs/${id}`);
    expect(first.headers).toMatchObject({
      etag: expect.stringMatching(/^"[\w-]{27}"$/),
      'cache-control': 'private, no-cache',
    });
    const same = await unless(id, first);
    expect({ status: same.status, body: same.text }).toEqual({ status: 304, body: '' });
    expect(same.headers.etag).toBe(first.headers.etag);
    // Nothing new when the time is up.
    expect((await unless(id, first, '?wait=0.1')).status).toBe(304);
    const waiting = unless(id, first, '?wait=60');
    end();
    expect(await waiting).toMatchObject({ status: 200, json: { state: 'success' } });
    expect((await unless(id, await waiting, '?wait=60')).status).toBe(304);
    const head = await service.request(`/jobs/${id}`, { method: 'HEAD' });
    expect(head.headers.etag).toBe((await waiting).headers.etag);
  });

  test('changes with the progress of a running job', async () => {
    const workdir = service.ground.makeWorkdir('progress');
    const topology = topologyThat('wait_for word', 'echo a word', 'wait_for end');
    const id = await service.start({ action: 'create', workdir, topology });
    await service.ground.waitsFor('word');
    const first = await service.get(`/jobs/${id}`);
    expect((await unless(id, first)).status).toBe(304);
    service.ground.let('word');
    await service.ground.waitsFor('end');
    const second = await unless(id, first);
    expect(second).toMatchObject({ status: 200, json: { progress: { message: 'a word' }, logSize: 7 } });
    expect((await unless(id, second)).status).toBe(304);
    service.ground.let('end');
    await service.ended(id);
  });
});

test('Link keeps every filter, and the base path', async () => {
  const based = await startService({ env: { LAB_API_BASE_PATH: '/netlab' } });
  const labels = { 'a?b': 'c&d' };
  for (const number of [1, 2]) {
    await based.ended(await based.start({ action: 'status', labels: { ...labels, number: String(number) } }));
  }
  const query = 'label=a%3Fb%3Dc%26d&label=number&state=failed&state=success&action=status&limit=1';
  for (const text of [query, query.replace('%3F', '?')]) {
    const reply = await based.get(`/jobs?${text}`);
    const link = /^<(\/netlab\/jobs\?.+)>; rel="next"$/.exec(String(reply.headers.link))?.[1] ?? '';
    const next = new URLSearchParams(link.split('?')[1]);
    expect(next.get('cursor')).toBe(reply.json.nextCursor);
    next.delete('cursor');
    expect([...next]).toEqual([...new URLSearchParams(query)]);
    const second = await based.get(link.replace('/netlab', ''));
    expect(second.json.jobs).toMatchObject([{ labels: { number: '1' } }]);
    expect(second.headers.link).toBeUndefined();
  }
});
