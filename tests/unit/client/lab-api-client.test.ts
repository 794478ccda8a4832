import { describe, expect, test } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import { hasEnded, LabApiClient } from '../../../src/client/lab-api-client.ts';
import { jobReply as job, events, json, scriptedServers } from '../../support/scripted-server.ts';

const startServer = scriptedServers();

const done = { ...job, state: 'success' };
const away = json({}, 503);

test('a job has ended when it is in one of three states', () => {
  const states = ['queued', 'running', 'canceling', 'success', 'failed', 'canceled'] as const;
  expect(states.filter(hasEnded)).toEqual(['success', 'failed', 'canceled']);
});

describe('asks for', () => {
  test.each<[string, string, unknown, (client: LabApiClient) => Promise<unknown>]>([
    ['GET', '/jobs/a%2Fb', job, async (client) => client.getJob('a/b')],
    ['POST', '/jobs/a%2Fb/cancel', job, async (client) => client.cancelJob('a/b')],
    ['POST', '/jobs/a%2Fb/retry', job, async (client) => client.retryJob('a/b')],
    ['GET', '/status?output=json', { default: {} }, async (client) => client.status()],
    ['GET', '/jobs', { jobs: [job], nextCursor: null }, async (client) => client.listJobs()],
    [
      'GET',
      '/jobs?state=failed&state=success&limit=5',
      { jobs: [], nextCursor: 'x' },
      async (client) => client.listJobs({ state: ['failed', 'success'], limit: 5 }),
    ],
  ])('%s %s', async (method, target, reply, ask) => {
    const { url, asked } = await startServer(json(reply));
    expect(await ask(new LabApiClient({ url }))).toEqual(reply);
    expect(asked.map((request) => `${request.method} ${request.target}`)).toEqual([`${method} ${target}`]);
  });

  test('the status as text', async () => {
    const { url, asked } = await startServer((res) => res.end('a table'));
    expect(await new LabApiClient({ url }).statusText()).toBe('a table');
    expect(asked[0]).toMatchObject({ method: 'GET', target: '/status?output=text' });
  });

  test('a log as bytes', async () => {
    const { url, asked } = await startServer((res) => res.end('words'));
    const log = await new LabApiClient({ url }).readLog('a/b', { tail: 3, plain: true });
    expect(await log.text()).toBe('words');
    await new LabApiClient({ url }).readLog('j');
    expect(asked.map(({ target }) => target)).toEqual([
      '/jobs/a%2Fb/log?tail=3&plain=true&output=text',
      '/jobs/j/log?output=text',
    ]);
  });

  test('the removal of a job', async () => {
    const { url, asked } = await startServer((res) => void res.writeHead(204).end());
    await new LabApiClient({ url }).removeJob('a/b');
    expect(asked[0]).toMatchObject({ method: 'DELETE', target: '/jobs/a%2Fb' });
  });
});

describe('a job is started once', () => {
  test('though the service is away at first: the requests have one key', async () => {
    const { url, asked } = await startServer(away, json(job, 202));
    const client = new LabApiClient({ url });
    expect(await client.startJob({ action: 'up' }, { patienceMs: 300 })).toEqual(job);
    expect(asked.map(({ method, target, body }) => `${method} ${target} ${body}`)).toEqual(
      Array(2).fill('POST /jobs {"action":"up"}'),
    );
    const keys = asked.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual([keys[0], keys[0]]);
    await client.startJob({ action: 'up' });
    expect(asked[2]?.headers['idempotency-key']).not.toBe(keys[0]);
    await client.startJob({ action: 'up' }, { idempotencyKey: 'own' });
    expect(asked[3]?.headers['idempotency-key']).toBe('own');
  });

  test('and each repetition of a job is another one', async () => {
    const { url, asked } = await startServer(json(job, 202));
    const client = new LabApiClient({ url });
    await client.retryJob('j');
    await client.retryJob('j');
    const [first, second] = asked.map(({ headers }) => headers['idempotency-key']);
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect(second).not.toBe(first);
  });

  test('unless somebody stops it', async () => {
    const { url } = await startServer(() => undefined);
    const stop = new AbortController();
    const starting = new LabApiClient({ url }).startJob({ action: 'up' }, { signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(starting).rejects.toThrow('enough');
  });
});

describe('the end of a job', () => {
  test('is waited for, with a pause when the service answers too early', async () => {
    const { url, asked } = await startServer(away, json(job), json(done));
    expect(await new LabApiClient({ url }).waitForJob('a/b', { patienceMs: 300 })).toEqual(done);
    expect(asked.map(({ target }) => target)).toEqual(Array(3).fill('/jobs/a%2Fb?wait=60'));
  });

  test('is waited for until somebody has enough: during a request, and in the pause after it', async () => {
    const stop = new AbortController();
    const { url } = await startServer((res) => {
      json(job)(res, { method: '', target: '', headers: {}, body: '' });
      res.once('close', () => setImmediate(() => stop.abort(new Error('enough'))));
    });
    const waiting = new LabApiClient({ url }).waitForJob('j', { signal: stop.signal });
    await expect(waiting).rejects.toThrow(/enough|aborted/);
    await expect(new LabApiClient({ url }).waitForJob('j', { signal: stop.signal })).rejects.toThrow(
      'enough',
    );
  });
});

describe('every job', () => {
  const page = (ids: readonly string[], nextCursor: string | null) =>
    json({ jobs: ids.map((id) => ({ ...job, id })), nextCursor });

  test('comes once, page by page', async () => {
    const { url, asked } = await startServer(page(['a', 'b'], 'b'), page(['c'], 'c'), page([], null));
    const ids: string[] = [];
    for await (const { id } of new LabApiClient({ url }).allJobs({ action: 'up' })) ids.push(id);
    expect(ids).toEqual(['a', 'b', 'c']);
    expect(asked.map(({ target }) => target)).toEqual([
      '/jobs?action=up&limit=500',
      '/jobs?action=up&limit=500&cursor=b',
      '/jobs?action=up&limit=500&cursor=c',
    ]);
  });

  test('but not without end: a page that leads to itself is unexpected', async () => {
    const { url, asked } = await startServer(page(['a'], 'x'));
    const seen: string[] = [];
    const reading = async () => {
      for await (const { id } of new LabApiClient({ url }).allJobs()) seen.push(id);
    };
    await expect(reading()).rejects.toThrow('the next page is the one that was just read');
    expect(seen).toEqual(['a', 'a']);
    expect(asked).toHaveLength(2);
  });
});

test('a service that has never answered is given up earlier than one that has', async () => {
  const hangUp = (res: ServerResponse): void => void res.destroy();
  const { url } = await startServer(hangUp, json(job), hangUp, json(job, 202));
  const client = new LabApiClient({ url });
  const patience = { firstPatienceMs: -1, patienceMs: 300 };
  await expect(client.startJob({ action: 'up' }, patience)).rejects.toMatchObject({ neverReached: true });
  await client.getJob('j');
  const lost: Error[] = [];
  const onLost = (error: Error): void => void lost.push(error);
  expect(await client.startJob({ action: 'up' }, { ...patience, onLost })).toEqual(job);
  expect(lost).toMatchObject([{ neverReached: false }]);
});

test('patience has a default, and may be none', async () => {
  const { url, asked } = await startServer(away);
  const client = new LabApiClient({ url });
  const lost: Error[] = [];
  const stop = new AbortController();
  const onLost = (error: Error): void => {
    lost.push(error);
    stop.abort();
  };
  await expect(client.startJob({ action: 'up' }, { onLost, signal: stop.signal })).rejects.toThrow();
  expect(lost).toHaveLength(1);
  await expect(client.startJob({ action: 'up' }, { patienceMs: -1 })).rejects.toMatchObject({ status: 503 });
  expect(asked).toHaveLength(2);
  const { url: quiet } = await startServer(events());
  await expect(new LabApiClient({ url: quiet }).followEvents({}, { patienceMs: -1 }).next()).rejects.toThrow(
    'the connection was lost while events were sent',
  );
});
