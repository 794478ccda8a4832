/** The feeds of several hosts as one, while hosts come and go, and how it ends. */
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import type { Host } from '../../../../src/cluster/model/host.ts';
import { encodePositions } from '../../../../src/http/cluster/feed-of-hosts.ts';
import { event, feeds, ownFeed, placeOf, ready, take, until } from '../../../support/feeds-of-hosts.ts';
import { clusterOf } from '../../../support/plain-cluster.ts';
const { state, feedOf, peer } = feeds();
afterEach(() => void jest.useRealTimers());
const stopClock = (): unknown =>
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
const seen = { change: 'state', job: 'x' };

describe('a host that is lost', () => {
  test.each(['breaks off', 'ends', 'is found to be away'])(
    'because it %s is gone on with a moment later after the last event that came of it',
    async (how) => {
      const own = ownFeed([ready('a1')]);
      const two = await peer('two');
      const cluster = clusterOf([two.host]);
      stopClock();
      const feed = feedOf(own, cluster);
      const begun = until(feed, 'ready');
      await two.isReady('b1');
      await begun;
      two.tell('job', seen, 'b2');
      await take(feed);
      const closed = two.closed();
      if (how === 'breaks off') two.cut();
      else if (how === 'ends') two.end();
      else cluster.lose(two.host);
      await closed;
      // The others are heard meanwhile.
      own.tell(event('meanwhile', 'a2'));
      expect(placeOf(await take(feed))).toEqual({ 'id-one': 'a2', 'id-two': 'b2' });
      const next = take(feed);
      const again = two.asked();
      for (let second = 0; second < 4; second += 1) await jest.advanceTimersByTimeAsync(1_000);
      expect((await again).headers['last-event-id']).toBe('b2');
      two.tell('job', seen, 'b3');
      expect(placeOf(await next)).toEqual({ 'id-one': 'a2', 'id-two': 'b3' });
      expect(own.follows).toHaveLength(1);
    },
  );
});

test('a host that joins is asked within a moment', async () => {
  const two = await peer('two');
  const peers: Host[] = [];
  const cluster = clusterOf([two.host], { peers });
  stopClock();
  const feed = feedOf(ownFeed([ready('a1')]), cluster);
  await until(feed, 'ready');
  const next = take(feed);
  peers.push(two.host);
  const asked = two.isReady('b1');
  await jest.advanceTimersByTimeAsync(1_000);
  await asked;
  two.tell('job', seen, 'b2');
  expect(placeOf(await next)).toEqual({ 'id-one': 'a1', 'id-two': 'b2' });
});

test('a host is read on only when what it has told is taken', async () => {
  const own = ownFeed([event('1', 'a1'), event('2', 'a2'), event('3', 'a3')]);
  const feed = feedOf(own, [], { lastId: encodePositions(new Map()) });
  expect(await take(feed)).toMatchObject({ data: { job: '1' } });
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => void setImmediate(resolve));
  // The second one waits to be taken.
  expect(own.follows[0]?.taken).toBeLessThan(2);
  expect(await take(feed)).toMatchObject({ data: { job: '2' } });
  expect(await take(feed)).toMatchObject({ data: { job: '3' } });
});

describe('the feed ends', () => {
  async function running() {
    const own = ownFeed([ready('a1')]);
    const two = await peer('two');
    const feed = feedOf(own, [two.host]);
    const begun = until(feed, 'ready');
    await two.isReady('b1');
    await begun;
    return { own, two, feed };
  }

  test('with the service, and so do those of the hosts', async () => {
    const { own, two, feed } = await running();
    const closed = two.closed();
    const next = feed.next();
    state.over.abort();
    expect(await next).toEqual({ done: true, value: undefined });
    await closed;
    expect(own.follows[0]?.signal.aborted).toBe(true);
    expect((await feed.next()).done).toBe(true);
  });

  test('with whoever reads it, and so do those of the hosts', async () => {
    const { own, two, feed } = await running();
    const closed = two.closed();
    own.tell(event('last', 'a2'));
    await take(feed);
    await feed.return();
    await closed;
    expect(own.follows[0]?.signal.aborted).toBe(true);
    expect(state.over.signal.aborted).toBe(false);
  });

  test('before it has begun, when the service stops already', async () => {
    state.over.abort();
    const own = ownFeed([ready('a1')]);
    const two = await peer('two');
    const cluster = clusterOf([two.host]);
    await until(feedOf(own, cluster), 'ready');
    expect([own.follows, cluster.asked]).toEqual([[], []]);
  });
});
