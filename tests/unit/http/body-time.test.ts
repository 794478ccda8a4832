/** How long a body may take. The clock is the test's; all else is real. */
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import net from 'node:net';
import type { Duplex } from 'node:stream';
import { limitBodyTime } from '../../../src/http/server.ts';
import { withUpload } from '../../../src/http/request/upload.ts';
import { listeners } from '../../support/listening.ts';

const limitMs = 300_000;

const listen = listeners();
let server: http.Server;
let client: net.Socket;
let refused: [code: unknown, socket: Duplex][];

beforeEach(async () => {
  server = http.createServer({ requestTimeout: 0 });
  limitBodyTime(server);
  refused = [];
  server.on('clientError', (error, socket) => refused.push([(error as { code?: unknown }).code, socket]));
  client = net.connect(await listen(server), '127.0.0.1');
  await once(client, 'connect');
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'] });
});

afterEach(() => {
  jest.useRealTimers();
  client.destroy();
});

/** Sends this, and gives the request and its reply once its headers have come. */
async function asked(...lines: readonly string[]): Promise<[IncomingMessage, ServerResponse]> {
  const request = once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>;
  client.write(['POST / HTTP/1.1', 'Host: localhost', ...lines].join('\r\n'));
  return request;
}

test.each([
  ['of a known length', ['Content-Length: 4', '', 'x']],
  ['in pieces', ['Transfer-Encoding: chunked', '', '1', 'x', '']],
])('a body %s that does not come to its end is refused, as Node itself calls that', async (_what, lines) => {
  const [req] = await asked(...lines);
  jest.advanceTimersByTime(limitMs - 1);
  expect(refused).toEqual([]);
  jest.advanceTimersByTime(1);
  expect(refused).toEqual([['ERR_HTTP_REQUEST_TIMEOUT', req.socket]]);
});

test('one that came in time is not, however long its answer takes', async () => {
  const [req] = await asked('Content-Length: 4', '', 'body');
  req.resume();
  await once(req, 'end');
  jest.advanceTimersByTime(limitMs);
  expect(refused).toEqual([]);
});

test('an upload takes as long as it needs', async () => {
  const [req, res] = await asked('Content-Length: 4', '', 'x');
  const end = new AbortController();
  const upload = withUpload({ req, res, until: end.signal }, async (body) => {
    let bytes = 0;
    for await (const piece of body) bytes += piece.length;
    return bytes;
  });
  jest.advanceTimersByTime(limitMs);
  expect(refused).toEqual([]);
  end.abort();
  await expect(upload).rejects.toMatchObject({ code: 'shutting-down' });
});

test('with the reply, nobody waits for the rest any more', async () => {
  const [, res] = await asked('Content-Length: 4', '', 'x');
  const closed = once(res, 'close');
  res.end('no');
  await closed;
  expect(jest.getTimerCount()).toBe(0);
  jest.advanceTimersByTime(limitMs);
  expect(refused).toEqual([]);
});
