/** Feeds of hosts: that of this host is spoken by the test, the others are bare servers of this process. */
import { afterEach, beforeEach } from '@jest/globals';
import { on, once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import type { Host } from '../../src/cluster/model/host.ts';
import {
  decodePositions,
  FeedOfHosts,
  type ClientEvent,
  type Follow,
} from '../../src/http/cluster/feed-of-hosts.ts';
import type { HostNews } from '../../src/http/cluster/host-feed.ts';
import { listeners } from './listening.ts';
import { MemoryLogger } from './memory-logger.ts';
import { clusterOf, hostAt } from './plain-cluster.ts';

/** The feed of this host. Each time that it is followed, it begins so. */
export function ownFeed(...beginnings: readonly (readonly HostNews[])[]) {
  const follows: { after: string | undefined; signal: AbortSignal; taken: number }[] = [];
  let stream = new PassThrough({ objectMode: true });
  const follow: Follow = async function* (after, signal) {
    const news = new PassThrough({ objectMode: true });
    stream = news;
    for (const one of beginnings[follows.length] ?? []) news.write(one);
    const follower = { after, signal, taken: 0 };
    follows.push(follower);
    signal.addEventListener('abort', () => news.end());
    for await (const one of news as AsyncIterable<HostNews>) {
      yield one;
      follower.taken += 1;
    }
  };
  return { follow, follows, tell: (news: HostNews) => stream.write(news) };
}

type Listen = ReturnType<typeof listeners>;

/** Another host: `asked` waits for the next time that it is asked. */
async function peerOf(listen: Listen, name: string) {
  const server = http.createServer();
  const requests = on(server, 'request');
  const host = hostAt(await listen(server), name);
  let reply: ServerResponse;
  const asked = async (): Promise<IncomingMessage> => {
    const [req, res] = (await requests.next()).value as [IncomingMessage, ServerResponse];
    reply = res;
    res.flushHeaders();
    return req;
  };
  const tell = (event: string, data: unknown, id?: string): void =>
    void reply.write(
      `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`,
    );
  /** Asked, it tells that there is nothing, as of this event. */
  const isReady = async (id: string): Promise<IncomingMessage> => {
    const req = await asked();
    tell('snapshot', {});
    tell('ready', { labsSeenAt: null }, id);
    return req;
  };
  return {
    host,
    asked,
    tell,
    isReady,
    cut: () => reply.destroy(),
    end: () => reply.end(),
    closed: async () => once(reply, 'close'),
  };
}

type Own = ReturnType<typeof ownFeed>;

interface FeedOptions {
  readonly lastId?: string;
  readonly query?: string;
}

export const asker = { name: 'olga', role: 'viewer' as const, workdirs: null };

/** What the feeds of a test file are made with; all end with the test. Call once in a test file. */
export function feeds() {
  const listen = listeners();
  const state = { over: new AbortController(), log: new MemoryLogger() };
  beforeEach(() => void Object.assign(state, { over: new AbortController(), log: new MemoryLogger() }));
  afterEach(() => state.over.abort());
  const feedOf = (
    own: Own,
    others: readonly Host[] | ReturnType<typeof clusterOf>,
    { lastId, query = '' }: FeedOptions = {},
  ) => {
    const { over, log } = state;
    const feed = new FeedOfHosts({
      cluster: 'hosts' in others ? others : clusterOf(others),
      own: own.follow,
      query: new URLSearchParams(query),
      asker,
      log,
      signal: over.signal,
    });
    return feed.follow(lastId);
  };
  return { state, feedOf, peer: async (name: string) => peerOf(listen, name) };
}

type Feed = AsyncGenerator<ClientEvent, void, void>;

export async function take(feed: Feed): Promise<ClientEvent> {
  const { value } = await feed.next();
  if (!value) throw new Error('the feed has ended');
  return value;
}

/** All events up to the first of this name. */
export async function until(feed: Feed, name: string): Promise<ClientEvent[]> {
  const events = [await take(feed)];
  while (events.at(-1)?.event !== name) events.push(await take(feed));
  return events;
}

/** The place to go on from, by the id of each host. */
export const placeOf = ({ id }: ClientEvent): unknown => Object.fromEntries(decodePositions(id ?? '') ?? []);

export const snapshot: HostNews = { kind: 'snapshot' };
export const ready = (id: string, labsSeenAt: string | null = null): HostNews => ({
  kind: 'ready',
  id,
  labsSeenAt,
});
export const current = (job: string): HostNews => ({
  kind: 'current',
  event: 'job',
  data: { change: 'current', job },
});
export const event = (job: string, id?: string): HostNews => ({
  kind: 'event',
  event: 'job',
  id,
  data: { change: 'state', job },
});
