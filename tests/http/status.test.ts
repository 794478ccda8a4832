import { beforeAll, describe, expect, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
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
    // The answer is kept for a while: tests that follow expect the answer of the lab.
    await service.get('/status?output=text', noCache);
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
      expect(first.headers['cache-control']).toBe('private, no-cache');
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
  test('is nothing while the last answer is young, and one run with no-cache', async () => {
    const service = await withLab({ LAB_API_STATUS_MAX_AGE: '1h' });
    await service.get('/status');
    const before = service.ground.runs('status').length;
    for (let count = 0; count < 20; count += 1) await service.get('/status');
    expect(service.ground.runs('status')).toHaveLength(before);
    expect((await service.get('/status', noCache)).headers.age).toBe('0');
    expect(service.ground.runs('status')).toHaveLength(before + 1);
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

  test('when the service stops, whoever waits for it gets 503', async () => {
    const service = await startService();
    service.ground.onStatus('wait_for never');
    const reply = service.get('/status');
    await service.ground.waitsFor('never');
    await service.stop();
    expectProblem(await reply, 503, 'shutting-down');
  });
});
