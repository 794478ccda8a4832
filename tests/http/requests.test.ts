/** What every path has in common: methods, HEAD, unknown paths, request ids, the query. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { sendRaw } from '../support/http-client.ts';
import { expectProblem, insides, wrongFields } from '../support/problem.ts';
import { startService, type RunningService } from '../support/service.ts';

let service: RunningService;
let jobId: string;

beforeAll(async () => {
  service = await startService();
  jobId = await service.start({ action: 'status' });
  await service.ended(jobId);
});

const readable = [
  '/',
  '/healthz',
  '/readyz',
  '/templates?dir=/',
  '/jobs',
  '/jobs/JOB',
  '/jobs/JOB/log',
  '/jobs/JOB/log?output=text',
  '/status',
  '/status?output=text',
];
const pathOf = (path: string): string => path.replace('JOB', jobId);

describe('HEAD', () => {
  test.each(readable)('%s gives the headers of GET and no body', async (path) => {
    const get = await service.get(pathOf(path));
    const head = await service.request(pathOf(path), { method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(head.bytes).toHaveLength(0);
    expect(head.headers['content-type']).toBe(get.headers['content-type']);
    const length = head.headers['content-length'];
    if (length !== undefined) expect(length).toBe(String(get.bytes.length));
  });

  test('of an unknown path is 404 without a body', async () => {
    const head = await service.request('/nothing', { method: 'HEAD' });
    expect(head).toMatchObject({ status: 404, text: '' });
  });
});

describe('a wrong method', () => {
  const getOnly = readable.filter((path) => path !== '/jobs' && path !== '/jobs/JOB');
  const refused = [
    ...getOnly.map((path) => ({
      path,
      methods: ['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE'],
      allow: 'GET, HEAD, OPTIONS',
    })),
    { path: '/jobs', methods: ['PUT', 'PATCH', 'DELETE'], allow: 'GET, HEAD, POST, OPTIONS' },
    { path: '/jobs/JOB', methods: ['POST', 'PUT', 'PATCH', 'TRACE'], allow: 'GET, HEAD, DELETE, OPTIONS' },
    { path: '/jobs/JOB/cancel', methods: ['GET', 'HEAD', 'PUT', 'DELETE'], allow: 'POST, OPTIONS' },
  ];
  const cases = refused.flatMap(({ path, methods, allow }) =>
    methods.map((method) => ({ method, path, allow })),
  );

  test.each(cases)('$method $path is 405 and says what is allowed', async ({ method, path, allow }) => {
    const reply = await service.request(pathOf(path), { method });
    expect(reply.headers.allow).toBe(allow);
    if (method === 'HEAD') expect(reply).toMatchObject({ status: 405, text: '' });
    else expectProblem(reply, 405, 'method-not-allowed');
  });
});

describe('an unknown path', () => {
  test.each([
    '/nothing',
    '/jobs/JOB/nothing',
    '/jobs/JOB/log/more',
    '/healthz/more',
    '/status/a/b',
    '/%2e%2e/jobs',
    '/..%2fjobs',
    '//jobs',
    '/%zz',
    '/constructor',
    '/__proto__',
  ])('GET %s is 404', async (path) => {
    expectProblem(await service.get(pathOf(path)), 404, 'not-found');
  });

  test.each(['POST', 'PUT', 'DELETE'])('%s is 404', async (method) => {
    expectProblem(await service.request('/nothing', { method, body: '{}' }), 404, 'not-found');
  });

  test.each(['job-1-000000', 'JOB', 'nope', '__proto__', 'constructor', '..%2f..%2fetc', 'a%00b', '%20'])(
    'job %s is 404',
    async (id) => {
      expectProblem(await service.get(`/jobs/${id}`), 404, 'job-not-found');
      expectProblem(await service.get(`/jobs/${id}/log`), 404, 'job-not-found');
      expectProblem(await service.post(`/jobs/${id}/cancel`), 404, 'job-not-found');
    },
  );

  test.each(['/jobs/%zz', '/jobs/%', '/jobs/%c3%28/log', '/status/%e0%a4%a'])(
    '%s is badly encoded: 400',
    async (path) => {
      expectProblem(await service.get(path), 400, 'invalid-request');
    },
  );
});

describe('a request that is hardly HTTP', () => {
  test.each([
    'GET\r\n\r\n',
    'GET /jobs\0 HTTP/1.1\r\nHost: x\r\n\r\n',
    'OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    'CONNECT example.org:443 HTTP/1.1\r\nHost: x\r\n\r\n',
    'POST /jobs HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
  ])('%j gets no stack trace and no 500', async (bytes) => {
    const answer = await sendRaw(service.url, bytes);
    expect(answer).not.toMatch(/^HTTP\/1\.1 5/);
    expect(answer).not.toMatch(insides);
    expect((await service.get('/healthz')).status).toBe(200);
  });
});

describe('the request id', () => {
  test('is taken over when it is harmless', async () => {
    const reply = await service.get('/healthz', { 'X-Request-Id': 'trace-1.2:3_4' });
    expect(reply.headers['x-request-id']).toBe('trace-1.2:3_4');
  });

  test.each(['', 'two words', 'a"b', '<script>', 'x'.repeat(129), 'umlaut-\u00e4'])(
    '%j is replaced',
    async (given) => {
      const reply = await service.get('/nothing', { 'X-Request-Id': given });
      expect(reply.headers['x-request-id']).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
      expectProblem(reply, 404, 'not-found');
    },
  );
});

test('the query is checked, and each wrong parameter named', async () => {
  const reply = await service.get(
    '/jobs?limit=0&state=done&action=fly&cursor=x&instance=a&instance=b&stat=x',
  );
  expectProblem(reply, 400, 'invalid-request');
  expect(wrongFields(reply).toSorted()).toEqual(['action', 'cursor', 'instance', 'limit', 'stat', 'state']);
});

describe('an unknown query parameter', () => {
  const cases: { method: string; path: string; message: string }[] = [
    { method: 'GET', path: '/jobs?stat=failed', message: 'stat: unknown parameter; did you mean "state"?' },
    { method: 'GET', path: '/jobs/JOB?wiat=1', message: 'wiat: unknown parameter; did you mean "wait"?' },
    { method: 'POST', path: '/jobs?dryRun=true', message: 'dryRun: unknown parameter' },
    { method: 'DELETE', path: '/jobs/JOB?wait=1', message: 'wait: unknown parameter' },
  ];

  test.each(cases)('$method $path is 400: $message', async ({ method, path, message }) => {
    const body = method === 'POST' ? '{"action":"status"}' : undefined;
    const reply = await service.request(pathOf(path), { method, ...(body !== undefined && { body }) });
    expectProblem(reply, 400, 'invalid-request');
    expect(reply.json.error).toBe(message);
    expect(wrongFields(reply)).toEqual([message.split(':')[0]]);
    expect((await service.get('/jobs')).json.jobs).toHaveLength(1);
  });

  test('does not keep a probe from its answer', async () => {
    expect((await service.get('/healthz?probe=1')).status).toBe(200);
    expect((await service.get('/readyz?probe=1')).status).toBe(200);
  });
});
