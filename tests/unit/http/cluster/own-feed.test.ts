import { expect, test } from '@jest/globals';
import type { EventService, News } from '../../../../src/events/model/event-service.ts';
import { followOwn } from '../../../../src/http/cluster/own-feed.ts';
import { collect } from '../../../support/scripted-server.ts';

const filter = { types: ['job' as const] };

test('what happens on this host is told as other hosts tell what happens there, in its order', async () => {
  const job = { id: 'job-1-aaaaaa', state: 'running' };
  const lab = { instance: 'default' };
  const at = '2026-01-02T03:04:05.000Z';
  const change = { event: 'job', data: { change: 'state', at, job } };
  const news = [
    { kind: 'reset', reason: 'too-old' },
    { kind: 'snapshot' },
    { kind: 'known-job', job },
    { kind: 'known-lab', lab },
    { kind: 'ready', id: 'feed-7', labsSeenAt: at },
    { kind: 'event', event: { number: 8, id: 'feed-8', change, size: 100 } },
    { kind: 'progress', progress: { job, message: 'starting r1', at } },
    { kind: 'position', id: 'feed-9' },
  ] as unknown as readonly News[];
  const given: unknown[] = [];
  const events: EventService = {
    async *follow(options) {
      given.push(options);
      yield* news;
    },
  };
  const options = { after: 'feed-6', filter, withProgress: true, signal: new AbortController().signal };
  expect(await collect(followOwn(events, options))).toEqual([
    { kind: 'reset', reason: 'too-old' },
    { kind: 'snapshot' },
    { kind: 'current', event: 'job', data: { change: 'current', job } },
    { kind: 'current', event: 'lab', data: { change: 'current', lab } },
    { kind: 'ready', id: 'feed-7', labsSeenAt: at },
    { kind: 'event', event: 'job', id: 'feed-8', data: { change: 'state', at, job } },
    // Nobody can go on after what has no place in the feed.
    {
      kind: 'event',
      event: 'job',
      id: undefined,
      data: { change: 'progress', job, message: 'starting r1', at },
    },
    { kind: 'ready', id: 'feed-9', labsSeenAt: null },
  ]);
  expect(given).toEqual([options]);
});
