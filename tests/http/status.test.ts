import { beforeAll, describe, expect, test } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { findProcess } from '../../src/lib/processes/processes.ts';
import { eventually } from '../support/eventually.ts';
import { expectProblem, wrongFields } from '../support/problem.ts';
import { startService, topologyThat, type RunningService } from '../support/service.ts';

const noCache = { 'Cache-Control': 'no-cache' };

/** A service with one lab, `default`, in its workdir. */
async function withLab(env: Record<string, string> = {}): Promise<RunningService> {
  const service = await startService({ env });
  const { workdir } = service.ground;
  await service.ended(await service.start({ action: 'up', workdir, topology: topologyThat() }));
  return service;
}

describe('with no lab', () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService();
  });

  test('the status is 200 in both forms', async () => {
    const json = await service.get('/status');
    expect(json).toMatchObject({ status: 200, json: { warning: 'No netlab-managed labs' } });
    const text = await service.get('/status?output=text');
    expect(text).toMatchObject({ status: 200, text: 'No netlab-managed labs\n' });
  });

  test.each(['default', 'constructor', '__proto__', 'a%2fb', 'a%00b', '--all', '%20'])(
    'the instance %s is 404, and no lab CLI is asked about it',
    async (id) => {
      expectProblem(await service.get(`/status/${id}`), 404, 'instance-not-found');
      expectProblem(await service.get(`/status/${id}?output=text`), 404, 'instance-not-found');
      expect(service.ground.runs('status --instance')).toEqual([]);
    },
  );
});

describe('with a lab', () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await withLab();
  });

  test('JSON is what the lab CLI printed, byte for byte', async () => {
    const reply = await service.get('/status');
    expect(reply.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(reply.json).toEqual({
      default: { dir: service.ground.workdir, name: 'demo', providers: ['clab'], status: 'started' },
    });
    expect(reply.text).toBe(
      `${JSON.stringify(reply.json, null, 2).replace(/\[\s+"clab"\s+\]/, '["clab"]')}\n`,
    );
  });

  test('text is what the lab CLI printed', async () => {
    const reply = await service.get('/status?output=text');
    expect(reply.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(reply.text).toBe(
      `Active lab instance(s)\n\n│ default │ ${service.ground.workdir} │ started │ clab │\n`,
    );
  });

  // What is small goes with its headers, and what is large by itself: up to the last byte that is small, and beyond.
  test.each([16_384, 16_385, 1_000_000])('%i bytes of text come as they were printed', async (bytes) => {
    const text = '│'.repeat(bytes / 3).padEnd(bytes - 2 * Math.floor(bytes / 3), '.');
    const printed = path.join(service.ground.root, `printed-${bytes}`);
    writeFileSync(printed, text);
    service.ground.onStatus(`[ "$format" = json ] || { cat '${printed}'; exit 0; }`);
    const reply = await service.get('/status?output=text', noCache);
    service.ground.onStatus('');
    expect(reply.headers['content-length']).toBe(String(bytes));
    expect(reply.text).toBe(text);
  });

  test('an instance has its nodes, in both forms', async () => {
    const json = await service.get('/status/default');
    expect(Object.keys(json.json.nodes)).toEqual(['r1', 'r2', 'h1', 'h2']);
    const text = await service.get('/status/default?output=text');
    expect(text).toMatchObject({ status: 200, text: `Lab default in ${service.ground.workdir}\n` });
    expectProblem(await service.get('/status/other'), 404, 'instance-not-found');
  });

  test.each(['/status', '/status/default'])('%s?output=xml is 400', async (target) => {
    for (const query of ['output=xml', 'output=', 'output=JSON', 'output=text&output=json']) {
      const reply = await service.get(`${target}?${query}`);
      expectProblem(reply, 400, 'invalid-request');
      expect(wrongFields(reply)).toEqual(['output']);
    }
  });

  test.each(['/status', '/status?output=text', '/status/default', '/status/default?output=text'])(
    '%s has an ETag, and a matching If-None-Match gets 304 without a body',
    async (target) => {
      const first = await service.get(target);
      const etag = String(first.headers.etag);
      expect(etag).toMatch(/^"[\w-]{27}"$/);
      expect(first.headers.age).toMatch(/^\d+$/);
      expect(first.headers['cache-control']).toBe('max-age=2');
      for (const given of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const second = await service.get(target, { 'If-None-Match': given });
        expect(second).toMatchObject({ status: 304, text: '', headers: { etag } });
      }
      expect((await service.get(target, { 'If-None-Match': '"other"' })).text).toBe(first.text);
    },
  );
});

test('LAB_API_STATUS_OUTPUT=text is overridden by ?output=json', async () => {
  const service = await withLab({ LAB_API_STATUS_OUTPUT: 'text' });
  expect((await service.get('/status')).text).toMatch(/^Active lab/);
  expect((await service.get('/status/default')).text).toMatch(/^Lab default/);
  expect((await service.get('/status?output=json')).json.default.status).toBe('started');
});

describe('the cost of a status', () => {
  test.each(['/status', '/status?output=text'])(
    'of %s is one run for a hundred who ask at the same time',
    async (target) => {
      // Whoever comes late, on a busy machine, gets what was told to the others.
      const service = await withLab({ LAB_API_STATUS_MAX_AGE: '1h' });
      const before = service.ground.runs('status').length;
      service.ground.onStatus('wait_for go');
      const replies = Array.from({ length: 100 }, async () => service.get(target));
      await service.ground.waitsFor('go');
      service.ground.let('go');
      expect(new Set((await Promise.all(replies)).map(({ text }) => text)).size).toBe(1);
      expect(service.ground.runs('status')).toHaveLength(before + 1);
    },
  );

  test('is nothing while the last answer is young, and one run with no-cache', async () => {
    const service = await withLab({ LAB_API_STATUS_MAX_AGE: '1h' });
    await service.get('/status');
    const before = service.ground.runs('status').length;
    for (let count = 0; count < 20; count += 1) await service.get('/status');
    expect(service.ground.runs('status')).toHaveLength(before);
    expect((await service.get('/status', noCache)).headers.age).toBe('0');
    expect(service.ground.runs('status')).toHaveLength(before + 1);
  });

  test.each(['/status', '/status/default'])('%s has its age in seconds', async (target) => {
    const beforeMs = performance.now();
    const service = await withLab({ LAB_API_STATUS_MAX_AGE: '1h' });
    const age = await eventually(
      'an age',
      async () => Number((await service.get(target)).headers.age) || undefined,
    );
    expect(age).toBeLessThanOrEqual((performance.now() - beforeMs) / 1000);
  });

  test('of one lab is the same', async () => {
    const service = await withLab({ LAB_API_STATUS_MAX_AGE: '1h' });
    await service.get('/status/default');
    const runs = (): string[] => service.ground.runs('status --instance default');
    const before = runs().length;
    for (let count = 0; count < 20; count += 1) await service.get('/status/default');
    expect(runs()).toHaveLength(before);
    for (const CacheControl of ['no-cache', 'max-age=0, no-cache'])
      await service.get('/status/default', { 'Cache-Control': CacheControl });
    expect(runs()).toHaveLength(before + 2);
  });

  test('a job that has ended makes the kept answer stale', async () => {
    const service = await withLab({ LAB_API_STATUS_MAX_AGE: '1h' });
    expect((await service.get('/status')).json.default.status).toBe('started');
    const { workdir } = service.ground;
    expect(await service.ended(await service.start({ action: 'down', workdir }))).toMatchObject({
      state: 'success',
    });
    expect((await service.get('/status')).json).toEqual({ warning: 'No netlab-managed labs' });
    expectProblem(await service.get('/status/default'), 404, 'instance-not-found');
  });

  test('guessing instances starts no run for each guess', async () => {
    const service = await withLab({ LAB_API_STATUS_MAX_AGE: '1h' });
    await service.get('/status');
    const before = service.ground.runs('status').length;
    await Promise.all(Array.from({ length: 50 }, async (_, index) => service.get(`/status/guess${index}`)));
    expect(service.ground.runs('status')).toHaveLength(before);
  });
});

describe('a lab CLI that is broken', () => {
  test('is 502 with its last lines, and the service recovers with it', async () => {
    const service = await withLab({ LAB_API_STATUS_MAX_AGE: '1ms' });
    service.ground.onStatus('echo one; echo "Traceback: boom" >&2; exit 3');
    for (const target of ['/status', '/status?output=text', '/status/default']) {
      const reply = await service.get(target, noCache);
      expectProblem(reply, 502, 'lab-cli-failed');
      expect(reply.json.output).toEqual(['Traceback: boom']);
    }
    service.ground.onStatus('echo no JSON at all; exit 0');
    expectProblem(await service.get('/status', noCache), 502, 'lab-cli-failed');
    service.ground.onStatus('kill -9 $$');
    expectProblem(await service.get('/status', noCache), 502, 'lab-cli-failed');
    service.ground.onStatus('');
    expect((await service.get('/status', noCache)).status).toBe(200);
  });

  test('about one instance: what the list of all knows of it comes along', async () => {
    const service = await withLab({ LAB_API_STATUS_MAX_AGE: '1ms' });
    service.ground.onStatus('[ -z "$instance" ] || { echo "KeyError: r1" >&2; exit 1; }');
    const reply = await service.get('/status/default');
    expectProblem(reply, 502, 'lab-cli-failed');
    expect(reply.json.lab).toMatchObject({ dir: service.ground.workdir, status: 'started' });
  });

  test('that takes too long is 504, and its processes are gone afterwards', async () => {
    const service = await startService({ env: { LAB_API_STATUS_TIMEOUT: '300ms' } });
    const pidFile = path.join(service.ground.root, 'pid');
    service.ground.onStatus(`sleep 1000 & echo $! >${pidFile}; wait`);
    expectProblem(await service.get('/status'), 504, 'lab-cli-timeout');
    const pid = Number(readFileSync(pidFile, 'utf8'));
    await eventually('the child is gone', () => findProcess(pid) === undefined);
  });

  test('when the service stops, whoever waits for it gets 503', async () => {
    const service = await startService();
    service.ground.onStatus('wait_for never');
    const reply = service.get('/status');
    await service.ground.waitsFor('never');
    await service.stop();
    expectProblem(await reply, 503, 'shutting-down');
  });
});
