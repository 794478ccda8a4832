import { describe, expect, test } from '@jest/globals';
import type { EventSourceMessage } from 'eventsource-parser';
import { once } from 'node:events';
import { Connection } from '../../../src/client/connection.ts';
import { resumingEvents } from '../../../src/client/resuming-events.ts';
import { ConnectionError, UnexpectedReply } from '../../../src/client/service-error.ts';
import { events, json, scriptedServers } from '../../support/scripted-server.ts';

const startServer = scriptedServers();
const over = (res: { writeHead: (status: number) => { end: () => unknown } }): void =>
  void res.writeHead(204).end();
/** Long enough for a second attempt, and no longer. */
const patienceMs = 300;

interface Following {
  readonly onLost?: (error: Error) => void;
  readonly signal?: AbortSignal;
  readonly patienceMs?: number;
}

async function follow(url: string, options: Following = {}) {
  const seen: EventSourceMessage[] = [];
  const query = (lastId: string | undefined) => ({ last: lastId });
  for await (const event of resumingEvents(new Connection({ url }), {
    patienceMs,
    ...options,
    path: '/x',
    query,
  }))
    seen.push(event);
  return seen.map(({ event, id, data }) => `${event ?? '-'} ${id ?? '-'} ${data}`);
}

test('events come until there are no more, and each request goes on after the last id', async () => {
  const { url, asked } = await startServer(
    events('event: a\nid: 1\ndata: x', 'data: without an id'),
    events('id: 2\ndata: y'),
    over,
  );
  expect(await follow(url)).toEqual(['a 1 x', '- - without an id', '- 2 y']);
  expect(asked.map(({ method, target }) => `${method} ${target}`)).toEqual([
    'GET /x',
    'GET /x?last=1',
    'GET /x?last=2',
  ]);
  expect(asked.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '1', '2']);
  expect(asked.map(({ headers }) => headers.accept)).toEqual(Array(3).fill('text/event-stream'));
});

test('an event renews the patience: five outages last longer than it, and each is shorter', async () => {
  const lost: string[] = [];
  const letters = ['a', 'b', 'c', 'd', 'e'];
  // From the loss to the second attempt pass 125 to 250 ms, to the third 375 to 750 ms.
  const { url } = await startServer(
    ...letters.flatMap((data) => [events(`data: ${data}`), json({}, 503)]),
    over,
  );
  expect(await follow(url, { patienceMs: 1_500, onLost: ({ message }) => lost.push(message) })).toEqual(
    letters.map((data) => `- - ${data}`),
  );
  expect(lost.filter((message) => message === 'the connection was lost while events were sent')).toHaveLength(
    letters.length,
  );
  expect(lost).toHaveLength(2 * letters.length);
});

describe('it is over', () => {
  test('when the service stays away', async () => {
    const { url, asked } = await startServer(json({}, 503));
    await expect(follow(url)).rejects.toMatchObject({ status: 503 });
    expect(asked.length).toBeGreaterThan(1);
  });

  test('when replies end without an event, for as long', async () => {
    const { url } = await startServer(events());
    await expect(follow(url)).rejects.toThrow(
      new ConnectionError('the connection was lost while events were sent'),
    );
  });

  test('at once when the service refuses', async () => {
    const { url, asked } = await startServer(json({ detail: 'not yours' }, 403));
    await expect(follow(url)).rejects.toThrow('not yours');
    expect(asked).toHaveLength(1);
  });

  test('at once when an event is too long', async () => {
    const { url, asked } = await startServer((res) => {
      res.writeHead(200).write(`data: ${'x'.repeat(9 * 1024 * 1024)}`);
    });
    await expect(follow(url)).rejects.toThrow(UnexpectedReply);
    expect(asked).toHaveLength(1);
  });

  test('with the reason for which it was stopped', async () => {
    const { url } = await startServer(() => undefined);
    const stop = new AbortController();
    const following = follow(url, { signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(following).rejects.toThrow('enough');
  });
});

test('a line that is no field of an event is passed over', async () => {
  const { url } = await startServer(events(': a comment\nnonsense: 1\nretry: x\ndata: a'), over);
  expect(await follow(url)).toEqual(['- - a']);
});

test('a character that is cut comes whole', async () => {
  const { url } = await startServer((res) => {
    const bytes = Buffer.from('data: €\n\n');
    res.writeHead(200);
    res.write(bytes.subarray(0, 7), () => setImmediate(() => res.end(bytes.subarray(7))));
  }, over);
  expect(await follow(url)).toEqual(['- - €']);
});

test('whoever has seen enough lets go of the connection', async () => {
  let closed: Promise<unknown> = Promise.resolve();
  const { url } = await startServer((res) => {
    closed = once(res, 'close');
    res.writeHead(200).write('data: a\n\n');
  });
  const source = { patienceMs, path: '/x', query: () => undefined };
  const following = resumingEvents(new Connection({ url }), source);
  expect((await following.next()).value).toMatchObject({ data: 'a' });
  await following.return();
  await closed;
});
