/** Bodies that are wrong in every way, and those that only look so. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { gzipSync } from 'node:zlib';
import { sendRaw } from '../support/http-client.ts';
import { expectProblem, insides, wrongFields } from '../support/problem.ts';
import { startService, type RunningService } from '../support/service.ts';

let service: RunningService;

beforeAll(async () => {
  service = await startService();
});

describe('a body', () => {
  const before = async (): Promise<number> => (await service.get('/jobs?limit=500')).json.jobs.length;

  test.each([
    ['malformed JSON', '{"action":'],
    ['a word', 'up'],
    ['a second document', '{"action":"status"}{}'],
    ['a trailing comma', '{"action":"status",}'],
    ['NUL bytes', Buffer.from('{"action":"status"}\0\0')],
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x00, 0x80])],
  ])('of %s is invalid-json and queues nothing', async (_what, body) => {
    const count = await before();
    const reply = await service.post('/jobs', body, { 'Content-Type': 'application/json' });
    expectProblem(reply, 400, 'invalid-json');
    expect(await before()).toBe(count);
  });

  test('with thousands of mistakes: the first hundred', async () => {
    const labels = Object.fromEntries(Array.from({ length: 5_000 }, (_, nr) => [`l${nr}`, nr]));
    const reply = await service.post('/jobs', { action: 'status', labels });
    expectProblem(reply, 400, 'invalid-request');
    expect(reply.json.errors).toHaveLength(100);
    expect(reply.json.detail).toMatch(/; and \d+ more$/);
  });

  test('that is no JSON: where, and no more of it than a character', async () => {
    const reply = await service.post('/jobs', '{"action": "up",\n "password": hunter2}');
    expectProblem(reply, 400, 'invalid-json');
    expect(reply.json.detail).toBe('the body is not valid JSON: unexpected "h" at line 2, column 14');
  });

  test.each([
    ['null', 'null'],
    ['a list', '[{"action":"status"}]'],
    ['a number', '7'],
    ['a string', '"status"'],
    ['true', 'true'],
  ])('of %s is refused as a whole', async (_what, body) => {
    const reply = await service.post('/jobs', body);
    expectProblem(reply, 400, 'invalid-request');
    expect(wrongFields(reply)).toEqual(['body']);
  });

  test.each([
    ['nothing', undefined],
    ['an empty text', ''],
    ['an empty object', '{}'],
    ['an action that is not given', '{"action":null}'],
  ])('of %s is asked for an action', async (_what, body) => {
    const reply = await service.post('/jobs', body);
    expectProblem(reply, 400, 'invalid-request');
    expect(wrongFields(reply)).toEqual(['action']);
  });

  test('with a slip of one letter starts nothing', async () => {
    const { workdir } = service.ground;
    const jobsBefore = await before();
    const reply = await service.post('/jobs', { action: 'down', workdir, dryrun: true });
    expectProblem(reply, 400, 'invalid-request');
    expect(reply.json.error).toBe('dryrun: unknown field; did you mean "dryRun"?');
    expect(await before()).toBe(jobsBefore);
  });

  test('over 1 MiB is 413, however it is sent', async () => {
    const big = JSON.stringify({ action: 'status', note: 'x'.repeat(1024 * 1024) });
    expectProblem(await service.post('/jobs', big), 413, 'payload-too-large');
    // A bomb: 30 KB that become 30 MB.
    const bomb = gzipSync(JSON.stringify({ action: 'status', note: 'x'.repeat(30_000_000) }));
    expectProblem(
      await service.post('/jobs', bomb, { 'Content-Encoding': 'gzip' }),
      413,
      'payload-too-large',
    );
  });

  test('of just 1 MiB is taken', async () => {
    const rest = 1024 * 1024 - Buffer.byteLength(JSON.stringify({ action: 'status', note: '' }));
    const reply = await service.post('/jobs', { action: 'status', note: 'x'.repeat(rest) });
    expect(reply).toMatchObject({ status: 202, json: { warnings: ['unknown field "note" ignored'] } });
  });

  test('that is nested very deeply is no internal error', async () => {
    const deep = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    expectProblem(await service.post('/jobs', deep(200_000)), 400, 'invalid-request');
    const ignored = await service.post('/jobs', `{"action":"status","deep":${deep(200_000)}}`);
    expect(ignored.status).toBe(202);
  });

  test.each(['labels', 'set', 'workdir', 'action', 'topology'])(
    'whose %s is nested very deeply is 400',
    async (field) => {
      const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
      const body = `{"action":"create",${JSON.stringify(field)}:${deep}}`;
      expectProblem(await service.post('/jobs', body), 400, 'invalid-request');
    },
  );

  test.each([
    { name: 'gzip', body: gzipSync('{"action":"status"}'), headers: { 'Content-Encoding': 'gzip' } },
    {
      name: 'UTF-16',
      body: Buffer.from('\ufeff{"action":"status"}', 'utf16le'),
      headers: { 'Content-Type': 'application/json; charset=utf-16' },
    },
    { name: 'no content type', body: '{"action":"status"}', headers: {} },
    {
      name: 'a form, by its content type',
      body: '{"action":"status"}',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    },
  ])('of $name is read', async ({ body, headers }) => {
    const reply = await service.post('/jobs', body, headers);
    expect(reply).toMatchObject({ status: 202, json: { action: 'status' } });
  });

  test.each([
    {
      name: 'an unknown character set',
      body: '{}',
      headers: { 'Content-Type': 'application/json; charset=klingon' },
    },
    { name: 'an unknown encoding', body: '{}', headers: { 'Content-Encoding': 'zip' } },
    { name: 'damaged gzip', body: Buffer.from('this is not gzip'), headers: { 'Content-Encoding': 'gzip' } },
    {
      name: 'gzip that breaks off',
      body: gzipSync('{"action":"status"}').subarray(0, 20),
      headers: { 'Content-Encoding': 'gzip' },
    },
  ])('of $name is 400', async ({ body, headers }) => {
    expectProblem(await service.post('/jobs', body, headers), 400, 'invalid-request');
  });

  test('that breaks off queues nothing and harms nobody', async () => {
    const count = await before();
    const answer = await sendRaw(
      service.url,
      'POST /jobs HTTP/1.1\r\nHost: x\r\nContent-Length: 500\r\n\r\n{"action":"status"}',
    );
    expect(answer).not.toMatch(insides);
    expect(await before()).toBe(count);
  });

  test('with the names of object internals is taken as it is, and changes no object', async () => {
    const body =
      '{"action":"status","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"labels":{"constructor":"x","a":"b"}}';
    const reply = await service.post('/jobs', body);
    expect(reply.status).toBe(202);
    expect(reply.json.labels).toEqual({ constructor: 'x', a: 'b' });
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    const query = await service.get('/jobs?limit=1&__proto__=1&constructor=2');
    expect(wrongFields(query).toSorted()).toEqual(['__proto__', 'constructor']);
  });

  test.each([
    ['workdir', { workdir: '/tmp\0/x' }],
    ['topologyPath', { action: 'create', topologyPath: 'a\0b' }],
    ['instance', { action: 'down', instance: 'a\0b' }],
    ['device', { action: 'create', device: 'a\0b' }],
  ])('with a NUL byte in %s is 400', async (field, fields) => {
    const reply = await service.post('/jobs', { action: 'status', ...fields });
    expectProblem(reply, 400, 'invalid-request');
    expect(wrongFields(reply)).toEqual([field]);
  });

  test('of a cancel may be missing, or say force; anything else is 400', async () => {
    for (const body of [undefined, '', '{}', 'null', '{"force":true}', '{"other":1}']) {
      expectProblem(await service.post('/jobs/job-1-000000/cancel', body), 404, 'job-not-found');
    }
    const meant = 'unknown field; did you mean "force"?';
    for (const [body, field, message] of [
      ['[]', 'body', 'must be an object'],
      ['"now"', 'body', 'must be an object'],
      ['{"force":"yes"}', 'force', 'must be true or false'],
      ['{"force":1}', 'force', 'must be true or false'],
      ['{"Force":true}', 'Force', meant],
      ['{"other":1,"forse":true}', 'forse', meant],
    ]) {
      const reply = await service.post('/jobs/job-1-000000/cancel', body);
      expectProblem(reply, 400, 'invalid-request');
      expect(reply.json.errors).toEqual([{ field, message }]);
    }
    expectProblem(await service.post('/jobs/job-1-000000/cancel', '{'), 400, 'invalid-json');
  });

  test('of a retry may be missing or empty: the request is repeated as it was', async () => {
    for (const body of [undefined, '', '{}', 'null'])
      expectProblem(await service.post('/jobs/job-1-000000/retry', body), 404, 'job-not-found');
    for (const body of ['{"dryRun":true}', '[1]', '"again"', 'true', '7']) {
      const reply = await service.post('/jobs/job-1-000000/retry', body);
      expectProblem(reply, 400, 'invalid-request');
      expect(wrongFields(reply)).toEqual(['body']);
    }
  });
});
