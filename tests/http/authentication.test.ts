import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import { renameSync, writeFileSync } from 'node:fs';
import { sendRaw, type RequestOptions } from '../support/http-client.ts';
import { MemoryLogger } from '../support/memory-logger.ts';
import { expectProblem } from '../support/problem.ts';
import { startService, topologyThat, type RunningService } from '../support/service.ts';

const user = 'alice';
const password = 'open:sesame:p\u00e4ssw\u00f6rt \u2713';
const secured = { LAB_API_USER: user, LAB_API_PASSWORD: password };

function basic(text: string, scheme = 'Basic'): { Authorization: string } {
  return { Authorization: `${scheme} ${Buffer.from(text, 'utf8').toString('base64')}` };
}

/** For passwords (RFC 7617) and for tokens (RFC 6750). */
const challenges = 'Basic realm="lab-api", charset="UTF-8", Bearer realm="lab-api"';

const valid = basic(`${user}:${password}`);

const everyPath: [string, string][] = [
  ['GET', '/healthz'],
  ['HEAD', '/healthz'],
  ['GET', '/readyz'],
  ['GET', '/templates'],
  ['GET', '/jobs'],
  ['POST', '/jobs'],
  ['GET', '/jobs/job-1-000000'],
  ['GET', '/jobs/job-1-000000/log'],
  ['POST', '/jobs/job-1-000000/cancel'],
  ['GET', '/status'],
  ['GET', '/status/default'],
  ['GET', '/nothing'],
  ['DELETE', '/jobs'],
  ['OPTIONS', '/jobs'],
  ['GET', '/'],
  ['GET', '/%zz'],
  ['GET', '/jobs/%zz'],
];

const log = new MemoryLogger();
let service: RunningService;
beforeAll(async () => {
  service = await startService({ env: secured, log });
});

let addresses = 0;
/** An address that has not failed yet: one that fails too often is locked out. */
const newAddress = (): string => `127.8.0.${(addresses += 1)}`;
const ask = async (path: string, options: RequestOptions = {}) =>
  service.request(path, { ...options, from: options.from ?? newAddress() });

test.each(everyPath)('%s %s wants a password', async (method, path) => {
  const reply = await ask(path, { method });
  expect(reply.headers['www-authenticate']).toBe(challenges);
  if (method === 'HEAD') expect(reply).toMatchObject({ status: 401, text: '' });
  else expectProblem(reply, 401, 'unauthorized');
});

describe('an Authorization header', () => {
  test.each([
    ['with the right password', valid],
    ['with the scheme in lower case', basic(`${user}:${password}`, 'basic')],
    ['with the scheme in upper case', basic(`${user}:${password}`, 'BASIC')],
  ])('%s is let in', async (_what, headers) => {
    expect((await ask('/jobs', { headers })).status).toBe(200);
  });

  test.each<[string, Record<string, string>]>([
    ['that is empty', { Authorization: '' }],
    ['with a scheme alone', { Authorization: 'Basic' }],
    ['with a scheme and a blank', { Authorization: 'Basic ' }],
    ['without a colon', basic(`${user}${password}`)],
    ['with the user alone', basic(user)],
    ['with an empty password', basic(`${user}:`)],
    ['with an empty user', basic(`:${password}`)],
    ['with a colon alone', basic(':')],
    ['with the first half of the password', basic(`${user}:open:sesame`)],
    ['with a blank behind the password', basic(`${user}:${password} `)],
    ['with a NUL byte behind the password', basic(`${user}:${password}\0`)],
    ['with the user in upper case', basic(`ALICE:${password}`)],
    ['with user and password swapped', basic(`${password}:${user}`)],
    ['that is no base64', { Authorization: 'Basic !!!not base64!!!' }],
    ['that is not encoded at all', { Authorization: 'Basic alice:open' }],
    ['of another scheme', { Authorization: valid.Authorization.replace('Basic', 'Digest') }],
    [
      'with the password in Latin-1',
      {
        Authorization: `Basic ${Buffer.from(`${user}:open:sesame:p\u00e4ssw\u00f6rt`, 'latin1').toString('base64')}`,
      },
    ],
    [
      'with bytes that are no text',
      { Authorization: `Basic ${Buffer.from([0xff, 0x3a, 0xfe]).toString('base64')}` },
    ],
    ['with 8-bit characters in the header', { Authorization: 'Basic \u00e4\u00f6\u00fc\u00ff' }],
    ['that is very long', basic(`${user}:${'x'.repeat(9_000)}`)],
  ])('%s is refused', async (_what, headers) => {
    const reply = await ask('/jobs', { headers });
    expectProblem(reply, 401, 'unauthorized');
    expect(reply.headers['www-authenticate']).toBe(challenges);
  });

  test('that is longer than a header may be is refused', async () => {
    const reply = await ask('/jobs', { headers: basic(`${user}:${'x'.repeat(30_000)}`) });
    expect(reply.status).toBe(431);
  });

  test('that was refused queued nothing', async () => {
    const post = { method: 'POST', body: { action: 'status' }, headers: basic('alice:wrong') };
    expectProblem(await ask('/jobs', post), 401, 'unauthorized');
    expect((await ask('/jobs', { headers: valid })).json.jobs).toEqual([]);
  });
});

test('the user stands in the record of the job, and in the error of a cancel', async () => {
  const { workdir } = service.ground;
  const body = { action: 'up', workdir, topology: topologyThat('wait_for go') };
  const id = await service.start(body, valid);
  await service.ground.waitsFor('go');
  const reply = await service.cancel(id, { headers: valid });
  expect(reply).toMatchObject({ status: 200, json: { state: 'canceled', requestedBy: user } });
  expect(reply.json.error).toMatch(/^canceled by alice\b/);
  expect(JSON.stringify(reply.json)).not.toContain('sesame');
});

describe('LAB_API_PUBLIC_HEALTHZ', () => {
  let open: RunningService;
  beforeAll(async () => {
    open = await startService({ env: { ...secured, LAB_API_PUBLIC_HEALTHZ: 'true' } });
  });

  test('exempts /healthz', async () => {
    expect(await open.get('/healthz')).toMatchObject({ status: 200, json: { status: 'ok' } });
    expect((await open.request('/healthz', { method: 'HEAD' })).status).toBe(200);
  });

  test.each(everyPath.filter(([, path]) => path !== '/healthz'))(
    'does not exempt %s %s',
    async (method, path) => {
      expect((await open.request(path, { method })).status).toBe(401);
    },
  );

  test.each(['/healthz/', '/HEALTHZ', '/healthz?x=1'])('%s tells no more than /healthz', async (path) => {
    expect((await open.get(path)).text).toBe('{"status":"ok"}\n');
  });

  test.each(['/healthz/../jobs', '/healthz/jobs', '/healthz%2f..%2fjobs', '//healthz/../jobs'])(
    '%s is no way in',
    async (path) => {
      expect((await open.get(path)).status).toBe(401);
    },
  );
});

test('LAB_API_PUBLIC_READYZ exempts /readyz, which names its checks only with a login', async () => {
  const open = await startService({ env: { ...secured, LAB_API_PUBLIC_READYZ: 'true' } });
  expect(await open.get('/readyz')).toMatchObject({ status: 200, json: { status: 'ok', checks: [] } });
  expect((await open.request('/readyz', { method: 'HEAD' })).status).toBe(200);
  const { json } = await open.get('/readyz', valid);
  expect(json.checks).toContainEqual(expect.objectContaining({ name: 'jobs-directory', ok: true }));
  expect((await open.get('/readyz', basic('alice:wrong'))).status).toBe(401);
  for (const path of ['/healthz', '/readyz/x', '/jobs']) expect((await open.get(path)).status).toBe(401);
});

describe('an address that fails too often', () => {
  /** Guesses 30 times; its next request is one too many. */
  async function lockedOut(more: Readonly<Record<string, string>> = {}): Promise<string> {
    const from = newAddress();
    for (let guess = 0; guess < 30; guess += 1) {
      const reply = await ask('/jobs', { from, headers: { ...basic(`alice:wrong${guess}`), ...more } });
      expect(reply.status).toBe(401);
    }
    return from;
  }

  test('is answered 429, even with the right password, and is named in the log', async () => {
    const from = await lockedOut();
    const reply = await ask('/jobs', { from, headers: valid });
    expectProblem(reply, 429, 'too-many-attempts');
    expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0);
    const ofFrom = log.entries.filter(({ fields }) => String(fields['address']).endsWith(from));
    expect(ofFrom.filter(({ message }) => message === 'a login failed')).toHaveLength(30);
    expect(ofFrom).toContainEqual(
      expect.objectContaining({ level: 'warn', fields: { address: expect.stringContaining(from) } }),
    );
    expect(JSON.stringify(log.entries)).not.toContain('wrong');
  });

  test('cannot choose its address', async () => {
    const from = await lockedOut({ 'X-Forwarded-For': '192.0.2.1' });
    expect((await ask('/jobs', { from, headers: { 'X-Forwarded-For': '192.0.2.99' } })).status).toBe(429);
  });

  test('is not one that succeeds often, at a time or one after the other', async () => {
    const from = newAddress();
    const look = async (): Promise<number> => (await ask('/status', { from, headers: valid })).status;
    expect(new Set(await Promise.all(Array.from({ length: 100 }, look)))).toEqual(new Set([200]));
    expect(await look()).toBe(200);
  });

  test('is not one with many open streams, nor one that breaks them off', async () => {
    const workdir = service.ground.makeWorkdir('streams');
    const topology = topologyThat('echo hello; wait_for streams');
    const id = await service.start({ action: 'up', workdir, topology }, valid);
    await service.ground.waitsFor('streams');
    const options = { from: newAddress(), headers: valid };
    const streams = await Promise.all(
      Array.from({ length: 40 }, async () => service.open(`/jobs/${id}/log?follow=true`, options)),
    );
    expect(new Set(streams.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
    for (const stream of streams) stream.destroy();
    // Whatever the service makes of the broken streams, it makes it before long.
    for (let look = 0; look < 40; look += 1) expect((await ask('/healthz', options)).status).toBe(200);
    service.ground.let('streams');
  });

  test('is not one that sends no password at all', async () => {
    const from = newAddress();
    for (let attempt = 0; attempt < 40; attempt += 1) expect((await ask('/jobs', { from })).status).toBe(401);
    expect((await ask('/jobs', { from, headers: valid })).status).toBe(200);
  });

  test('has 30 guesses, also when it sends hundreds at once down one connection', async () => {
    const guess = (n: number): string =>
      `GET /jobs HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${basic(`alice:${n}`).Authorization}\r\n\r\n`;
    const guesses = Array.from({ length: 500 }, (_, n) => guess(n)).join('');
    const other = await startService({ env: secured });
    const text = await sendRaw(other.url, guesses);
    const statuses = [...text.matchAll(/^HTTP\/1\.1 (\d+) /gm)].map(([, status]) => status);
    expect(statuses.filter((status) => status === '401')).toHaveLength(30);
    expect(new Set(statuses.slice(30))).toEqual(new Set(['429']));
  });

  test('may probe, and learns no more than that', async () => {
    const before = (await ask('/readyz', { headers: valid })).json;
    expect(before).toMatchObject({ status: 'ok' });
    expect(before.checks).not.toEqual([]);
    const from = await lockedOut();
    for (const headers of [valid, basic('alice:wrong'), {}]) {
      expect(await ask('/healthz', { from, headers })).toMatchObject({ status: 200, json: { status: 'ok' } });
      expect((await ask('/readyz', { from, headers })).json).toEqual({ status: 'ok', checks: [] });
      expect((await ask('/healthz/jobs', { from, headers })).status).toBe(429);
    }
  });

  test('has the readiness looked at once a second, however often it probes', async () => {
    const from = await lockedOut();
    // The clock is the test's; all else is real.
    let nowMs = performance.now() + 1_000;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
    try {
      const probed = async (): Promise<number> => (await ask('/readyz', { from })).status;
      expect(await probed()).toBe(200);
      const jobs = `${service.ground.dataDir}/jobs`;
      renameSync(jobs, `${jobs}.aside`);
      writeFileSync(jobs, '');
      nowMs += 999;
      expect(await probed()).toBe(200);
      nowMs += 1;
      expect(await probed()).toBe(503);
    } finally {
      clock.mockRestore();
    }
  });
});
