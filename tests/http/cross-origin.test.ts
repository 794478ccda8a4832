/** Pages of other sites that LAB_API_CORS_ORIGINS lists (CORS), as their browser speaks for them. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { expectProblem } from '../support/problem.ts';
import { startService, type RunningService } from '../support/service.ts';

const listed = 'https://labs.example';
const stranger = 'https://evil.example';
const preflight = {
  'Access-Control-Request-Method': 'POST',
  'Access-Control-Request-Headers': 'authorization,content-type',
};
const password = `Basic ${Buffer.from('lab:sesame').toString('base64')}`;

let service: RunningService;
let open: RunningService;
beforeAll(async () => {
  const origins = { LAB_API_CORS_ORIGINS: 'http://localhost:3000, HTTPS://Labs.Example:443' };
  open = await startService({ env: origins });
  service = await startService({
    env: { ...origins, LAB_API_USER: 'lab', LAB_API_PASSWORD: 'sesame' },
  });
});

type Headers = Readonly<Record<string, string | string[] | undefined>>;

function expectNoCors(headers: Headers): void {
  expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
  expect(headers['vary']).toContain('Origin');
}

function expectCors(headers: Headers): void {
  expect(headers).toMatchObject({
    'access-control-allow-origin': listed,
    'access-control-allow-credentials': 'true',
    'access-control-expose-headers': expect.stringMatching(
      /Deprecation.*ETag.*Link.*Location.*Retry-After.*Sunset.*X-Request-Id/,
    ),
    vary: expect.stringContaining('Origin'),
  });
}

describe('a preflight', () => {
  test.each(['/jobs', '/jobs/job-1-000000/cancel', '/status', '/nothing'])(
    'of %s needs no password, and does not tell whether the path exists',
    async (path) => {
      const reply = await service.request(path, {
        method: 'OPTIONS',
        headers: { Origin: listed, ...preflight },
      });
      expect(reply).toMatchObject({ status: 204, text: '' });
      expectCors(reply.headers);
      expect(reply.headers).toMatchObject({
        'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
        'access-control-allow-headers': expect.stringMatching(/Authorization.*Content-Type.*Idempotency-Key/),
        'access-control-max-age': '600',
      });
      expect(reply.headers['allow']).toBeUndefined();
      expect(reply.headers['x-content-type-options']).toBe('nosniff');
    },
  );

  test.each([
    stranger,
    'null',
    'https://labs.example.evil.example',
    'http://labs.example',
    'https://labs.example:1',
  ])('for %s is a request without a password', async (origin) => {
    const headers = { Origin: origin, ...preflight };
    const reply = await service.request('/jobs', { method: 'OPTIONS', headers });
    expectProblem(reply, 401, 'unauthorized');
    expectNoCors(reply.headers);
  });

  test('is one by its headers: a plain OPTIONS is refused and answered as ever', async () => {
    const plain = { method: 'OPTIONS', headers: { Origin: listed } };
    expectProblem(await service.request('/jobs', plain), 401, 'unauthorized');
    expect((await open.request('/jobs', plain)).headers['allow']).toBe('GET, HEAD, POST, OPTIONS');
  });
});

describe('a request', () => {
  test('of a listed origin is answered with the headers, and may change something', async () => {
    for (const site of ['cross-site', 'same-site', undefined]) {
      const from = { Origin: listed, Authorization: password, ...(site && { 'Sec-Fetch-Site': site }) };
      const started = await service.post('/jobs', { action: 'status' }, from);
      expect(started.status).toBe(202);
      expectCors(started.headers);
      const canceled = await service.post(`/jobs/${started.json.id}/cancel`, {}, from);
      expectCors(canceled.headers);
      expect(canceled.json.code).not.toBe('cross-site');
    }
  });

  test('of another origin gets none of the headers, and may change nothing', async () => {
    const from = { Origin: stranger, 'Sec-Fetch-Site': 'cross-site', Authorization: password };
    const refused = await service.post('/jobs', { action: 'status' }, from);
    expectProblem(refused, 403, 'cross-site');
    expectNoCors(refused.headers);
    expectNoCors((await service.get('/jobs', from)).headers);
  });

  test('of a program gets none of the headers', async () => {
    expectNoCors((await open.get('/jobs')).headers);
  });

  test('that fails has them too: a browser shows the page why', async () => {
    const from = { Origin: listed };
    const login = { ...from, Authorization: password };
    const body = { action: 'status', topology: 'x'.repeat(2 ** 20) };
    const replies = [
      await service.get('/jobs', from),
      await service.get('/jobs', { ...from, Authorization: 'Basic bm86' }),
      await service.get('/nothing', login),
      await service.request('/jobs', { method: 'PUT', headers: login }),
      await service.post('/jobs', body, login),
      await service.post('/jobs', { action: 'dance' }, login),
    ];
    expect(replies.map(({ status }) => status)).toEqual([401, 401, 404, 405, 413, 400]);
    for (const { headers } of replies) expectCors(headers);
  });

  test('from an address that is locked out has them too', async () => {
    const { url } = service;
    const wrong = { Origin: listed, Authorization: 'Basic bm86' };
    let reply = await fetch(`${url}/jobs`, { headers: wrong });
    for (let guess = 0; guess < 40 && reply.status === 401; guess += 1)
      reply = await fetch(`${url}/jobs`, { headers: wrong });
    expect(reply.status).toBe(429);
    expect(reply.headers.get('Access-Control-Allow-Origin')).toBe(listed);
    expect(reply.headers.get('Access-Control-Expose-Headers')).toContain('Retry-After');
  });
});

test('event streams have the headers', async () => {
  const { id } = (await open.post('/jobs', { action: 'status' })).json;
  await open.ended(id);
  const headers = { Origin: listed, Accept: 'text/event-stream' };
  const reply = await open.get(`/jobs/${id}/log?follow=true`, headers);
  expect(reply.headers['content-type']).toContain('text/event-stream');
  expectCors(reply.headers);
});
