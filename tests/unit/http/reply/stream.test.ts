import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { EventEmitter, getEventListeners, once, setMaxListeners } from 'node:events';
import http from 'node:http';
import type net from 'node:net';
import express, { type Response } from 'express';
import { streamSignal, writePaced } from '../../../../src/http/reply/stream.ts';
import { EventStream } from '../../../../src/http/reply/event-stream.ts';
import { eventually } from '../../../support/eventually.ts';
import { open } from '../../../support/http-client.ts';

let server: http.Server;
const shutdown = new AbortController();
setMaxListeners(0, shutdown.signal);
const signals: AbortSignal[] = [];
const replies: Response[] = [];

beforeAll(async () => {
  const app = express();
  app.get('/', (_req, res) => {
    replies.push(res);
    signals.push(streamSignal(res, shutdown.signal));
  });
  server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

function ask(): http.ClientRequest {
  const { port } = server.address() as net.AddressInfo;
  const request = http.get({ host: '127.0.0.1', port, agent: false });
  request.on('error', () => undefined);
  request.on('response', (reply) => reply.resume());
  return request;
}

test('all replies share a listener on the shutdown signal, and none is left when replies end and clients go', async () => {
  const requests = Array.from({ length: 20 }, ask);
  await eventually('the requests', () => signals.length === 20);
  expect(getEventListeners(shutdown.signal, 'abort')).toHaveLength(1);
  requests.slice(0, 10).forEach((request) => request.destroy());
  await eventually('the first ten to be gone', () => signals.filter(({ aborted }) => aborted).length === 10);
  expect(getEventListeners(shutdown.signal, 'abort')).toHaveLength(1);
  replies.forEach((res) => res.end());
  await eventually('all to be over', () => signals.every(({ aborted }) => aborted));
  expect(getEventListeners(shutdown.signal, 'abort')).toEqual([]);
});

test('shutdown ends all; for a reply that is over already there is nothing to wait for', async () => {
  const over = replies[0]!;
  expect(over.closed).toBe(true);
  expect(streamSignal(over, shutdown.signal).aborted).toBe(true);
  ask();
  await eventually('the request', () => signals.length === 21);
  expect(signals[20]?.aborted).toBe(false);
  shutdown.abort();
  expect(signals[20]?.aborted).toBe(true);
  expect(streamSignal(replies[20]!, shutdown.signal).aborted).toBe(true);
  expect(getEventListeners(shutdown.signal, 'abort')).toEqual([]);
});

test('who writes fast lets the event loop turn between two writes, also when the socket takes everything', async () => {
  const written: string[] = [];
  const greedy = { destroyed: false, writableEnded: false, write: (data: string) => written.push(data) > 0 };
  let turns = 0;
  let isCounting = true;
  const count = (): void => {
    turns += 1;
    if (isCounting) setImmediate(count);
  };
  setImmediate(count);
  for (let index = 0; index < 10; index += 1) await writePaced(greedy as unknown as Response, `${index}`);
  isCounting = false;
  expect(written).toHaveLength(10);
  expect(turns).toBeGreaterThanOrEqual(9);
});

describe('a client that is slow to read', () => {
  /** A reply whose socket takes no more for now. */
  class FullReply extends EventEmitter {
    destroyed = false;
    writableEnded = false;
    readonly written: string[] = [];

    write(data: string): boolean {
      this.written.push(data);
      return false;
    }
  }

  test.each(['drain', 'close'])('is waited for until %s, and nothing is left behind', async (event) => {
    const reply = new FullReply();
    let isDone = false;
    const writing = writePaced(reply as unknown as Response, 'more').then(() => (isDone = true));
    await new Promise(setImmediate);
    expect(isDone).toBe(false);
    reply.emit(event);
    await writing;
    expect(reply.eventNames()).toEqual([]);
  });

  test.each(['destroyed', 'writableEnded'] as const)(
    'gets nothing more of a reply that is %s',
    async (over) => {
      const reply = new FullReply();
      reply[over] = true;
      await writePaced(reply as unknown as Response, 'more');
      expect(reply.written).toEqual([]);
    },
  );
});

test('an event stream sends comments while nothing happens, so that no proxy closes it', async () => {
  const app = express();
  app.get('/', (_req, res) => void new EventStream(res, 5));
  const own = app.listen(0, '127.0.0.1');
  await once(own, 'listening');
  const reply = await open(`http://127.0.0.1:${(own.address() as net.AddressInfo).port}`, '/');
  let text = '';
  for await (const chunk of reply as AsyncIterable<Buffer>) {
    text += String(chunk);
    if (text.length > 30) break;
  }
  expect(text).toMatch(/^(: heartbeat\n\n)+$/);
  own.close();
});
