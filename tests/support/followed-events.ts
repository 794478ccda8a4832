/** What a client of GET /events gets, for tests. */
import { expect } from '@jest/globals';
import { EventReader } from './event-reader.ts';
import type { RunningService } from './service.ts';

type Received = NonNullable<Awaited<ReturnType<EventReader['next']>>>;

export async function follow(on: RunningService, query = '', lastId?: string): Promise<EventReader> {
  const headers = { ...(lastId !== undefined && { 'Last-Event-ID': lastId }) };
  const message = await on.open(`/events${query}`, { headers });
  expect(message.statusCode).toBe(200);
  expect(message.headers).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  });
  return new EventReader(message);
}

/** The events up to the first that is so, which is the last one. */
export async function until(reader: EventReader, isIt: (event: Received) => boolean): Promise<Received[]> {
  const events: Received[] = [];
  for (;;) {
    const event = await reader.next();
    if (!event) throw new Error(`the stream ended: ${JSON.stringify(events)}`);
    events.push(event);
    if (isIt(event)) return events;
  }
}

export const isState =
  (id: string, state: string) =>
  ({ event, data }: Received): boolean =>
    event === 'job' && data.job.id === id && data.job.state === state;

export const isEnd =
  (id: string) =>
  ({ event, data }: Received): boolean =>
    event === 'job' && data.job.id === id && data.job.finishedAt !== null;

/** Changes of one job, without its progress: `created queued`, `state running`. */
export function changesOf(events: readonly Received[], id: string): string[] {
  return events
    .filter(({ event, data }) => event === 'job' && data.job.id === id && data.change !== 'progress')
    .map(({ data }) => `${data.change} ${data.job.state}`);
}
