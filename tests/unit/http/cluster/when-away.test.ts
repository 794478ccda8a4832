/** What a service answers for a host that is away, over a socket. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import http from 'node:http';
import type { ClusterService } from '../../../../src/cluster/model/cluster-service.ts';
import type { JobRow } from '../../../../src/cluster/model/job-row.ts';
import { answerForAway } from '../../../../src/http/cluster/when-away.ts';
import type { HttpContext } from '../../../../src/http/context.ts';
import type { Route } from '../../../../src/http/route.ts';
import { cancelJob, getJob } from '../../../../src/http/routers/job.ts';
import { request, type RequestOptions } from '../../../support/http-client.ts';
import { listeners } from '../../../support/listening.ts';
import { appOf, clusterOf, hostNamed, olga } from '../../../support/plain-cluster.ts';

const listen = listeners();
const away = hostNamed('two', { state: 'away' });
const row = {
  id: 'job-1-aaaaaa',
  state: 'running',
  action: 'up',
  labels: { build: '7' },
  requestedBy: 'rita',
} as unknown as JobRow;

let rows: Readonly<Record<string, JobRow>>;
let mayRead: boolean;
let canceled: unknown[];
beforeEach(() => {
  rows = { [row.id]: row };
  mayRead = true;
  canceled = [];
});

/** What is answered; `null` when only the host itself could. */
async function answer(
  route: Route,
  { id = row.id, isRead = false, ...options }: RequestOptions & { id?: string; isRead?: boolean } = {},
) {
  const parts: Partial<ClusterService> = {
    row: async (wanted, host) => Promise.resolve(host.id === away.id ? rows[wanted] : undefined),
    cancelLater: async (job, host, how) => void canceled.push([job, host.name, how]),
  };
  const cluster = clusterOf([away], parts);
  const context = { mayReadJob: () => mayRead } as unknown as HttpContext;
  let isAnswered: boolean | undefined;
  const app = appOf(olga, async (req, res) => {
    req.params['id'] = id;
    if (isRead) for await (const piece of req) expect(piece).toBeDefined();
    isAnswered = await answerForAway(away, { req, res, route, context, cluster });
    if (!isAnswered) res.json(null);
  });
  const reply = await request(`http://127.0.0.1:${await listen(http.createServer(app))}`, '/', options);
  // What is thrown says nothing of it.
  expect(isAnswered ?? true).toBe(reply.text !== 'null');
  return reply;
}

describe('a job of a host that is away', () => {
  test.each([
    ['is not known', 'job-2-bbbbbb', true],
    ['whoever asks may not see', row.id, false],
  ])('that %s is not there', async (_what, id, isAllowed) => {
    mayRead = isAllowed;
    for (const route of [getJob, cancelJob]) {
      const reply = await answer(route, { id });
      expect(reply).toMatchObject({ status: 404, json: { code: 'job-not-found' } });
      expect(reply.json.detail).toBe(`there is no job "${id}"`);
    }
    expect(canceled).toEqual([]);
  });
});

describe('to cancel it', () => {
  const asker = { name: 'olga', role: 'operator', workdirs: null };

  test.each([
    ['is done when its host is back', {}, false],
    ['by force is done so', { body: { force: true } }, true],
    ['without force is done so', { body: { force: false } }, false],
    [
      'with a body that went to the host already is done without force',
      { body: { force: true }, isRead: true },
      false,
    ],
  ])('%s', async (_what, options, force) => {
    const reply = await answer(cancelJob, options);
    expect(reply).toMatchObject({ status: 202, json: { id: row.id, state: 'running', stale: true } });
    expect(canceled).toEqual([[row.id, 'two', { asker, force }]]);
  });

  test.each([
    ['of another type', '{"force":"yes"}', 'invalid-request'],
    ['that is no JSON', '{"force":', 'invalid-json'],
  ])('with a body %s is refused', async (_what, body, code) => {
    const reply = await answer(cancelJob, { body });
    expect([reply.status, reply.json.code]).toEqual([400, code]);
    expect(canceled).toEqual([]);
  });

  test('is refused once it has ended', async () => {
    rows = { [row.id]: { ...row, state: 'failed' } };
    const reply = await answer(cancelJob);
    expect([reply.status, reply.json.code, reply.json.state]).toEqual([409, 'conflict', 'failed']);
    expect(reply.json.detail).toContain('failed');
    expect(canceled).toEqual([]);
  });
});

test.each([
  ['about something else than a job', { ...getJob, about: 'lab' as const }],
  ['for another part of a job', { ...getJob, operationId: 'getJobLog' }],
])('what is asked %s only the host itself could answer', async (_what, route) => {
  expect((await answer(route)).json).toBeNull();
});
