/** Clients that do not read, at the feed itself. */
import { expect, test } from '@jest/globals';
import path from 'node:path';
import { Feed } from '../../../src/events/feed.ts';
import { FeedState } from '../../../src/events/feed-state.ts';
import { followFeed } from '../../../src/events/follow-feed.ts';
import { LabWatch } from '../../../src/events/lab-watch.ts';
import type { Change } from '../../../src/events/model/event.ts';
import type { News } from '../../../src/events/model/event-service.ts';
import { ProgressWatch } from '../../../src/events/progress-watch.ts';
import { MemoryLogger } from '../../support/memory-logger.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const root = temporaryDirectory();
const log = new MemoryLogger();

const note = (version: string): Change => ({
  event: 'service',
  data: { change: 'started', at: '2026-01-02T03:04:05.000Z', version },
});

async function makeFollowers(limits: { segmentBytes: number; totalBytes: number }, name: string) {
  const feed = new Feed({ directory: path.join(root, name), log, limits, recentBytes: 1_000 });
  await feed.open(() => new FeedState());
  // As each service begins.
  feed.add([note('first')]);
  await feed.flush();
  const status = {
    told: async () => ({ labs: [], missingClis: [] }),
    version: '',
    readyOf: () => null,
    forgetReady: () => undefined,
  };
  const labs = new LabWatch({ status, feed, log });
  const progress = new ProgressWatch({ jobs: { get: async () => Promise.reject(new Error()) }, feed });
  const over = new AbortController();
  const follow = (types: ('service' | 'job')[] = ['service'], after?: string): AsyncGenerator<News> =>
    followFeed(
      { feed, labs, progress },
      { after, filter: { types }, withProgress: false, signal: over.signal },
    );
  const add = async (count: number): Promise<void> => {
    for (let number = 0; number < count; number += 1) {
      feed.add([note(String(number))]);
      if (number % 10 === 0) await feed.flush();
    }
    await feed.flush();
  };
  return { feed, follow, add, over };
}

async function take(follower: AsyncGenerator<News>, kind: News['kind']): Promise<News[]> {
  const news: News[] = [];
  for (;;) {
    const { value } = await follower.next();
    if (!value) throw new Error('it ended');
    news.push(value);
    if (value.kind === kind) return news;
  }
}

test('a client that did not read for long goes on where it was, from the disk', async () => {
  const limits = { segmentBytes: 20_000, totalBytes: 1_000_000 };
  const { feed, follow, add, over } = await makeFollowers(limits, 'slow');
  const follower = follow();
  await take(follower, 'ready');
  await add(2_000);
  const versions: string[] = [];
  while (versions.length < 2_000) {
    const { value } = await follower.next();
    if (value?.kind === 'event' && value.event.change.event === 'service')
      versions.push(value.event.change.data.version);
  }
  expect(versions).toEqual(Array.from({ length: 2_000 }, (_, number) => String(number)));
  over.abort();
  expect((await follower.next()).done).toBe(true);
  await feed.close();
});

test('one that did not read for too long begins anew', async () => {
  const { feed, follow, add, over } = await makeFollowers(
    { segmentBytes: 4_000, totalBytes: 8_000 },
    'too-slow',
  );
  const follower = follow();
  await take(follower, 'ready');
  await add(2_000);
  const news = await take(follower, 'reset');
  expect(news.at(-1)).toEqual({ kind: 'reset', reason: 'too-old' });
  expect((await take(follower, 'ready')).at(-1)).toMatchObject({ id: feed.end.id });
  over.abort();
  await feed.close();
});

test('one for whom nothing comes is told where it is, so that it can resume', async () => {
  const limits = { segmentBytes: 20_000, totalBytes: 1_000_000 };
  const { feed, follow, add, over } = await makeFollowers(limits, 'unwanted');
  const follower = follow(['job']);
  await take(follower, 'ready');
  await add(250);
  const positions = [...(await take(follower, 'position')), ...(await take(follower, 'position'))].map(
    (news) => (news.kind === 'position' ? news.id : ''),
  );
  await follower.return(undefined);
  expect(await Promise.all(positions.map(async (id) => feed.find(id)))).toMatchObject([
    { number: expect.any(Number) },
    { number: expect.any(Number) },
  ]);
  over.abort();
  await feed.close();
});
