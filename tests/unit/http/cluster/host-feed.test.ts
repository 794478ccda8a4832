/** The feed of another host, which is a bare server of this process. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { Host } from '../../../../src/cluster/model/host.ts';
import { followHost } from '../../../../src/http/cluster/host-feed.ts';
import { listeners } from '../../../support/listening.ts';
import { clusterOf, hostAt } from '../../../support/plain-cluster.ts';
import { collect } from '../../../support/scripted-server.ts';

const listen = listeners();
const asker = { name: 'olga', role: 'viewer' as const, workdirs: null };
let server: http.Server;
let host: Host;
let cluster: ReturnType<typeof clusterOf>;
let over: AbortController;

beforeEach(async () => {
  server = http.createServer();
  host = hostAt(await listen(server));
  cluster = clusterOf([host]);
  over = new AbortController();
});

function feed({ after, query = '' }: { readonly after?: string; readonly query?: string } = {}) {
  return followHost(cluster, host, {
    query: new URLSearchParams(query),
    after,
    asker,
    signal: over.signal,
  });
}

async function asked(): Promise<{ req: IncomingMessage; res: ServerResponse }> {
  const [req, res] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  return { req, res };
}

/** All that comes of what the host sends. */
async function newsOf(...lines: readonly string[]): Promise<unknown[]> {
  const news = collect(feed());
  (await asked()).res.end(`${lines.join('\n')}\n\n`);
  return news;
}

const event = (name: string, data: unknown, id?: string): string =>
  `event: ${name}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n`;

test('what it tells is told in its order and its own words', async () => {
  const job = { id: 'job-1-aaaaaa', newer: ['of a later version'] };
  expect(
    await newsOf(
      event('reset', { reason: 'too-old' }),
      event('snapshot', {}),
      event('job', { change: 'current', job }),
      event('lab', { change: 'current', lab: {} }),
      event('ready', { labsSeenAt: '2026-01-02T03:04:05.000Z' }, 'feed-7'),
      event('job', { change: 'state', job }, 'feed-8'),
      event('lab', { change: 'gone', lab: {} }, 'feed-9'),
      event('service', { change: 'stopping' }, 'feed-10'),
      event('job', { change: 'progress', job }),
    ),
  ).toEqual([
    { kind: 'reset', reason: 'too-old' },
    { kind: 'snapshot' },
    { kind: 'current', event: 'job', data: { change: 'current', job } },
    { kind: 'current', event: 'lab', data: { change: 'current', lab: {} } },
    { kind: 'ready', id: 'feed-7', labsSeenAt: '2026-01-02T03:04:05.000Z' },
    { kind: 'event', event: 'job', id: 'feed-8', data: { change: 'state', job } },
    { kind: 'event', event: 'lab', id: 'feed-9', data: { change: 'gone', lab: {} } },
    { kind: 'event', event: 'service', id: 'feed-10', data: { change: 'stopping' } },
    { kind: 'event', event: 'job', id: undefined, data: { change: 'progress', job } },
  ]);
});

test('what a newer host tells besides, and comments, are passed over', async () => {
  const known = event('service', { change: 'started' }, 'feed-2');
  expect(
    await newsOf(': heartbeat\n', event('weather', { change: 'current' }, 'feed-1'), 'data: {}\n', known),
  ).toEqual([{ kind: 'event', event: 'service', id: 'feed-2', data: { change: 'started' } }]);
});

test('what a host leaves unsaid is taken for unknown', async () => {
  expect(await newsOf(event('reset', {}), event('ready', {}))).toEqual([
    { kind: 'reset', reason: 'unknown-id' },
    { kind: 'ready', id: '', labsSeenAt: null },
  ]);
});

test('a host that refuses tells nothing', async () => {
  const news = collect(feed());
  const { res } = await asked();
  res.writeHead(403, { 'content-type': 'text/event-stream' }).end(`${event('snapshot', {})}\n`);
  expect(await news).toEqual([]);
});

describe('the feed fails', () => {
  test('when what it tells is no JSON', async () => {
    const news = collect(feed());
    (await asked()).res.end('event: job\ndata: {"change"\n\n');
    await expect(news).rejects.toThrow(SyntaxError);
  });

  test('when it is to end, and the host is told', async () => {
    const news = collect(feed());
    const { res } = await asked();
    res.flushHeaders();
    const closed = once(res, 'close');
    over.abort();
    await expect(news).rejects.toThrow();
    await closed;
  });
});

test('whoever reads no further ends it at the host', async () => {
  const news = feed();
  const first = news.next();
  const { res } = await asked();
  res.write(`${event('snapshot', {})}\n`);
  await first;
  const closed = once(res, 'close');
  await news.return();
  await closed;
});
