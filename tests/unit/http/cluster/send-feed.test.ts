/** The events of all hosts, as a client of a service of this process gets them. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EventService, News } from '../../../../src/events/model/event-service.ts';
import { sendFeedOfHosts } from '../../../../src/http/cluster/send-feed.ts';
import type { HttpContext } from '../../../../src/http/context.ts';
import { EventReader } from '../../../support/event-reader.ts';
import { eventually } from '../../../support/eventually.ts';
import { open } from '../../../support/http-client.ts';
import { listeners } from '../../../support/listening.ts';
import { MemoryLogger } from '../../../support/memory-logger.ts';
import { appOf, clusterOf, hostAt, olga } from '../../../support/plain-cluster.ts';

const listen = listeners();
const filter = { types: ['job' as const] };
let other: http.Server;
let shutdown: AbortController;
/** How this host was followed. */
let follows: Parameters<EventService['follow']>[0][];

beforeEach(() => {
  shutdown = new AbortController();
  follows = [];
});
afterEach(() => shutdown.abort());

/** A service of a cluster with another host, which was asked nothing yet. */
async function service(news: readonly News[], after?: string) {
  other = http.createServer();
  const cluster = clusterOf([hostAt(await listen(other))]);
  const events: EventService = {
    async *follow(options) {
      follows.push(options);
      yield* news;
      await once(options.signal, 'abort');
    },
  };
  const context = { events, shutdown: shutdown.signal, log: new MemoryLogger() } as unknown as HttpContext;
  const ended: unknown[] = [];
  const app = appOf(olga, async (req, res) => {
    await sendFeedOfHosts({ req, res, context, cluster, after, filter });
    ended.push(req.method);
  });
  return { url: `http://127.0.0.1:${await listen(http.createServer(app))}`, cluster, ended };
}

async function asked(): Promise<{ req: IncomingMessage; res: ServerResponse }> {
  const [req, res] = (await once(other, 'request')) as [IncomingMessage, ServerResponse];
  res.flushHeaders();
  return { req, res };
}

const ready: News = { kind: 'ready', id: 'a1', labsSeenAt: null };
const [job, lab] = [{ id: 'job-1-aaaaaa', state: 'running' }, { instance: 'default' }];
/** Each kind of news of this host. */
const news = [
  { kind: 'known-job', job },
  { kind: 'known-lab', lab },
  ready,
  { kind: 'event', event: { number: 8, id: 'a8', change: { event: 'job', data: { change: 'state', job } } } },
  { kind: 'progress', progress: { job, message: 'starting r1' } },
] as unknown as readonly News[];

test('a client gets how things are everywhere, and the others are asked as it has asked', async () => {
  const { url, cluster } = await service(news);
  const opened = open(url, '/events?types=job&after=old&label=a%3Db');
  const { req, res } = await asked();
  expect(req.url).toBe('/events?types=job&label=a%3Db');
  res.write('event: ready\nid: b1\ndata: {}\n\n');
  const reply = await opened;
  expect(reply.headers['content-type']).toMatch(/^text\/event-stream/);
  const reader = new EventReader(reply);
  const told = await reader.until('ready');
  expect(told.map(({ event, data }) => [event, data.change])).toEqual([
    ['snapshot', undefined],
    ['job', 'current'],
    ['lab', 'current'],
    ['ready', undefined],
  ]);
  expect(told.at(-1)?.id).toMatch(/^hosts:.*id-two=b1/);
  const changed = await reader.next();
  expect(changed?.id).toMatch(/id-one=a8/);
  expect(changed?.data).toMatchObject({ change: 'state', job });
  // Nobody can go on after what has no place in the feed.
  const progress = { change: 'progress', job, message: 'starting r1', host: 'one' };
  expect(await reader.next()).toEqual({ event: 'job', id: undefined, data: progress });
  expect(cluster.asked).toMatchObject([{ asker: { name: 'olga', role: 'operator' } }]);
  expect(follows).toMatchObject([{ after: undefined, filter, withProgress: true }]);
  reader.close();
});

test('a client that goes away while there is much to tell is told no more of it', async () => {
  let told = 0;
  const endless = {
    *[Symbol.iterator](): Generator<News> {
      for (; told < 100_000; told += 1)
        yield { kind: 'known-lab', lab: { instance: 'x'.repeat(1_000) } } as News;
    },
  } as unknown as readonly News[];
  const { url, ended } = await service(endless);
  const opened = open(url, '/events');
  await asked();
  (await opened).destroy();
  await eventually('it is over', () => ended.length === 1);
  await nextTurn();
  expect(told).toBeLessThan(100_000);
});

test('whoever asks for the head alone gets that, and no host is asked', async () => {
  const { url, cluster, ended } = await service([ready]);
  const reply = await open(url, '/events', { method: 'HEAD' });
  expect(reply.headers['content-type']).toMatch(/^text\/event-stream/);
  await eventually('it is over', () => ended.length === 1);
  expect([cluster.asked, follows]).toEqual([[], []]);
});
