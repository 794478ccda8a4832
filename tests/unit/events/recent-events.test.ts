import { expect, test } from '@jest/globals';
import type { FeedEvent } from '../../../src/events/model/event.ts';
import { RecentEvents } from '../../../src/events/recent-events.ts';

function event(number: number, size = 1): FeedEvent {
  const data = { change: 'started', at: '2026-01-02T03:04:05.000Z', version: '' } as const;
  return { number, id: `abcdef01-${number}`, change: { event: 'service', data }, size };
}

const numbers = (events: readonly FeedEvent[] | undefined): number[] | undefined =>
  events?.map(({ number }) => number);
const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

test('what came after an event is known while the event is', () => {
  const recent = new RecentEvents(1_000);
  expect(recent.after(1)).toBeUndefined();
  for (const number of [3, 5, 6, 10]) recent.add(event(number));
  expect([3, 5, 6, 10].map((number) => numbers(recent.after(number)))).toEqual([
    [5, 6, 10],
    [6, 10],
    [10],
    [],
  ]);
  expect([2, 4, 7, 11].map((number) => recent.after(number))).toEqual(Array(4).fill(undefined));
});

test('the oldest go when a quarter more is there than may be kept, until that is enough', () => {
  const recent = new RecentEvents(100);
  for (const number of range(1, 12)) recent.add(event(number, 10));
  expect(numbers(recent.all)).toEqual(range(1, 12));
  recent.add(event(13, 5));
  expect(numbers(recent.all)).toEqual(range(1, 13));
  recent.add(event(14, 1));
  expect(numbers(recent.all)).toEqual(range(4, 14));
  // 96 bytes are left, and 29 more fit in.
  recent.add(event(15, 29));
  expect(numbers(recent.all)).toEqual(range(4, 15));
  recent.add(event(16, 1));
  expect(numbers(recent.all)).toEqual(range(7, 16));
});

test('a client gets a part at a time: 64 KiB and the event that goes over them, or a thousand', () => {
  const recent = new RecentEvents(10_000_000);
  for (const number of range(1, 6)) recent.add(event(number, 32 * 1024));
  expect(numbers(recent.after(1))).toEqual([2, 3, 4]);
  expect(numbers(recent.after(4))).toEqual([5, 6]);
  for (const number of range(7, 3_000)) recent.add(event(number));
  expect(numbers(recent.after(7))).toEqual(range(8, 1_006));
});
