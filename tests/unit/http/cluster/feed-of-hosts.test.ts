/** The feeds of several hosts as one: what a client is told that knows nothing, and one that comes back. */
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { decodePositions, encodePositions } from '../../../../src/http/cluster/feed-of-hosts.ts';
import {
  asker,
  current,
  event,
  feeds,
  ownFeed,
  placeOf,
  ready,
  snapshot,
  take,
  until,
} from '../../../support/feeds-of-hosts.ts';
import { freePort } from '../../../support/free-port.ts';
import { clusterOf, hostAt } from '../../../support/plain-cluster.ts';
const { state, feedOf, peer } = feeds();
afterEach(() => void jest.useRealTimers());
const stopClock = (): unknown =>
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
const seen = { change: 'state', job: 'x' };

describe('a client that knows nothing', () => {
  test('is told how things are on all hosts, and then what happens, with a place to go on from', async () => {
    const own = ownFeed([snapshot, current('of one'), ready('a1')]);
    const two = await peer('two');
    const cluster = clusterOf([two.host]);
    const feed = feedOf(own, cluster, { query: 'types=job' });
    const begun = until(feed, 'ready');
    expect((await two.asked()).url).toBe('/events?types=job');
    two.tell('snapshot', {});
    two.tell('job', { change: 'current', job: 'of two' });
    two.tell('ready', { labsSeenAt: null }, 'b1');
    const events = await begun;
    const [first, ...rest] = events.slice(0, -1);
    expect(first).toEqual({ event: 'snapshot', data: {} });
    expect(rest).toHaveLength(2);
    expect(rest).toEqual(
      expect.arrayContaining([
        { event: 'job', data: { change: 'current', job: 'of one', host: 'one' } },
        { event: 'job', data: { change: 'current', job: 'of two', host: 'two' } },
      ]),
    );
    expect(placeOf(events.at(-1)!)).toEqual({ 'id-one': 'a1', 'id-two': 'b1' });
    expect(cluster.asked).toEqual([{ host: 'two', method: 'GET', path: '/events?types=job', asker }]);

    two.tell('job', { change: 'state', job: 'of two' }, 'b2');
    const changed = await take(feed);
    expect(changed).toMatchObject({ event: 'job', data: { change: 'state', job: 'of two', host: 'two' } });
    expect(placeOf(changed)).toEqual({ 'id-one': 'a1', 'id-two': 'b2' });
    own.tell(event('of one', 'a2'));
    expect(placeOf(await take(feed))).toEqual({ 'id-one': 'a2', 'id-two': 'b2' });
    // What has no place is not gone on after; what tells of a place alone is told to nobody.
    own.tell(event('at work'));
    expect(await take(feed)).toEqual({
      event: 'job',
      data: { change: 'state', job: 'at work', host: 'one' },
    });
    own.tell(ready('a3'));
    own.tell(current('known'));
    expect(await take(feed)).toEqual({
      event: 'job',
      data: { change: 'current', job: 'known', host: 'one' },
    });
    own.tell(event('of one', 'a4'));
    expect(placeOf(await take(feed))).toEqual({ 'id-one': 'a4', 'id-two': 'b2' });
  });

  const early = '2026-01-01T00:00:00.000Z';
  const late = '2026-01-02T00:00:00.000Z';
  test.each([
    [early, late, early],
    [late, early, early],
    [late, null, late],
    [null, late, late],
    [null, null, null],
  ])('learns how old what it knows of labs is at most (%s, %s)', async (own, others, labsSeenAt) => {
    const two = await peer('two');
    const begun = until(feedOf(ownFeed([ready('a1', own)]), [two.host]), 'ready');
    await two.asked();
    two.tell('ready', { labsSeenAt: others }, 'b1');
    expect((await begun).at(-1)?.data).toEqual({ labsSeenAt });
  });

  test('is told all without a host that cannot be asked, and nobody waits for that', async () => {
    const lost = hostAt(await freePort(), 'lost');
    const events = await until(feedOf(ownFeed([ready('a1')]), [lost]), 'ready');
    expect(placeOf(events.at(-1)!)).toEqual({ 'id-one': 'a1' });
    const cause: unknown = expect.stringContaining('does not answer');
    expect(state.log.entries).toMatchObject([{ level: 'debug', fields: { host: 'id-lost', cause } }]);
  });

  test('is told all after 10 s without a host that has not told its part, which it tells when it can', async () => {
    const own = ownFeed([current('of one'), ready('a1')]);
    const two = await peer('two');
    stopClock();
    const feed = feedOf(own, [two.host]);
    const asked = two.asked();
    expect(await take(feed)).toMatchObject({ event: 'snapshot' });
    expect(await take(feed)).toMatchObject({ data: { job: 'of one' } });
    let isReady = false;
    const begun = take(feed).then((told) => {
      isReady = true;
      return told;
    });
    await asked;
    await jest.advanceTimersByTimeAsync(9_900);
    expect(isReady).toBe(false);
    await jest.advanceTimersByTimeAsync(1_100);
    const told = await begun;
    expect(told.event).toBe('ready');
    expect(placeOf(told)).toEqual({ 'id-one': 'a1' });
    two.tell('job', { change: 'current', job: 'of two' });
    expect(await take(feed)).toMatchObject({ data: { job: 'of two', host: 'two' } });
    two.tell('ready', {}, 'b1');
    two.tell('job', seen, 'b2');
    expect(placeOf(await take(feed))).toEqual({ 'id-one': 'a1', 'id-two': 'b2' });
  });
});

describe('a client that comes back', () => {
  const lastId = encodePositions(
    new Map([
      ['id-one', 'a5'],
      ['id-two', 'b5'],
    ]),
  );

  test('gets what came after the last event of each host that it has, and nothing else', async () => {
    const own = ownFeed([event('next', 'a6')]);
    const two = await peer('two');
    const feed = feedOf(own, [two.host], { lastId });
    const first = await take(feed);
    expect(first).toMatchObject({ event: 'job', data: { job: 'next', host: 'one' } });
    expect(placeOf(first)).toEqual({ 'id-one': 'a6', 'id-two': 'b5' });
    expect(own.follows.map(({ after }) => after)).toEqual(['a5']);
    const next = take(feed);
    expect((await two.asked()).headers['last-event-id']).toBe('b5');
    two.tell('job', seen, 'b6');
    expect(placeOf(await next)).toEqual({ 'id-one': 'a6', 'id-two': 'b6' });
  });

  test('with an id of a service that worked alone begins anew', async () => {
    const feed = feedOf(ownFeed([ready('a1')]), [], { lastId: 'feed-7' });
    expect(await take(feed)).toEqual({ event: 'reset', data: { reason: 'other-feed' } });
    expect((await until(feed, 'ready')).map((one) => one.event)).toEqual(['snapshot', 'ready']);
  });

  test('begins anew on all hosts when one of them cannot go on', async () => {
    const own = ownFeed([], [current('of one'), ready('a9')]);
    const two = await peer('two');
    const feed = feedOf(own, [two.host], { lastId });
    const first = take(feed);
    await two.asked();
    const closed = two.closed();
    two.tell('reset', { reason: 'too-old' });
    two.tell('snapshot', {});
    two.tell('job', { change: 'current', job: 'is told again' });
    expect(await first).toEqual({ event: 'reset', data: { reason: 'too-old' } });
    const begun = until(feed, 'ready');
    await closed;
    const req = await two.isReady('b9');
    expect(req.headers).not.toHaveProperty('last-event-id');
    const events = await begun;
    expect(events.map(({ data }) => (data as { job?: string }).job)).toEqual([
      undefined,
      'of one',
      undefined,
    ]);
    expect(placeOf(events.at(-1)!)).toEqual({ 'id-one': 'a9', 'id-two': 'b9' });
    expect(own.follows.map(({ after, signal }) => [after, signal.aborted])).toEqual([
      ['a5', true],
      [undefined, false],
    ]);
  });
});

describe('one id for the places in the feeds of all hosts', () => {
  test.each([
    [
      [
        ['host-1', 'feed-a-17'],
        ['host-2', 'feed=b'],
      ],
    ],
    [[]],
  ] as [string, string][][][])('stands for %j', (places) => {
    const positions = new Map(places);
    expect(decodePositions(encodePositions(positions))).toEqual(positions);
  });

  test.each([
    ['', undefined],
    ['feed-a-17', undefined],
    ['hosts:a=1,,nonsense,=2,b=', new Map(Object.entries({ a: '1', b: '' }))],
  ])('read from "%s"', (id, positions) => expect(decodePositions(id)).toEqual(positions));
});
