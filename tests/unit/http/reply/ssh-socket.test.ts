/** A client, and a connection that is an object of the test in place of the gateway. */
import { afterEach, expect, jest, test } from '@jest/globals';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import { serveSsh } from '../../../../src/http/reply/ssh-socket.ts';
import { eventually } from '../../../support/eventually.ts';
import { holdTime } from '../../../support/session-here.ts';

const ends: (() => void)[] = [];
afterEach(() => {
  jest.useRealTimers();
  for (const end of ends.splice(0)) end();
});

async function connected(options: { autoPong?: boolean; isHeld?: boolean } = {}) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', maxPayload: 64 * 1024 });
  await once(server, 'listening');
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, options);
  ends.push(
    () => client.terminate(),
    () => server.close(),
  );
  const [[socket]] = (await Promise.all([once(server, 'connection'), once(client, 'open')])) as [
    [WebSocket],
    unknown,
  ];
  if (options.isHeld === true) holdTime();
  const stop = new AbortController();
  const accepted: Duplex[] = [];
  serveSsh(socket, (stream) => void accepted.push(stream), stop.signal);
  const closed = once(client, 'close') as Promise<[number, Buffer]>;
  const [stream] = accepted as [Duplex];
  return { client, socket, stream, stop, closed };
}

test('carries bytes both ways, and ends for the client when SSH has ended', async () => {
  const { client, stream, closed } = await connected();
  const got = once(client, 'message');
  client.send(Buffer.from('SSH-2.0-client\r\n'));
  expect(String((await once(stream, 'data'))[0])).toBe('SSH-2.0-client\r\n');
  stream.end('SSH-2.0-server\r\n');
  const [data, isBinary] = (await got) as [Buffer, boolean];
  expect([data.toString(), isBinary]).toEqual(['SSH-2.0-server\r\n', true]);
  await closed;
});

test('reads no more from a client than SSH takes', async () => {
  const { client, socket, stream } = await connected();
  const piece = Buffer.alloc(32 * 1024);
  const send = (): void => {
    if (client.readyState === WebSocket.OPEN) client.send(piece, send);
  };
  send();
  await eventually('it waits', () => socket.isPaused);
  stream.resume();
  await eventually('it goes on', () => !socket.isPaused);
});

test('takes no more from SSH than the client reads', async () => {
  const { client, stream } = await connected();
  client.pause();
  await eventually(
    'SSH waits',
    () => !stream.write(Buffer.alloc(1024 * 1024)) && stream.writableLength > 4e6,
  );
  client.resume();
  await once(stream, 'drain');
});

test('SSH ends when the client is gone without a word', async () => {
  const { client, stream } = await connected();
  stream.resume();
  client.terminate();
  await eventually('it has ended', () => stream.destroyed);
});

test('a message that is too long ends the connection with its code', async () => {
  const { client, stream, closed } = await connected();
  stream.resume();
  client.send(Buffer.alloc(64 * 1024 + 1));
  expect((await closed)[0]).toBe(1009);
  await eventually('SSH has ended', () => stream.destroyed);
});

test('a service that stops says so, and does not wait for a client that does not close', async () => {
  const { client, socket, stop, closed } = await connected({ isHeld: true });
  stop.abort();
  const [code, reason] = await closed;
  expect([code, reason.toString()]).toEqual([1001, 'the service stops']);
  await eventually('it is closed', () => socket.readyState === WebSocket.CLOSED);

  const other = await connected({ isHeld: true });
  other.client.pause();
  other.stop.abort();
  jest.advanceTimersByTime(2_000);
  await eventually('it is cut off', () => other.socket.readyState === WebSocket.CLOSED);
  expect(client.readyState).toBe(WebSocket.CLOSED);
});

test('a client that answers no ping is gone', async () => {
  const { socket, stream } = await connected({ autoPong: false, isHeld: true });
  stream.resume();
  jest.advanceTimersByTime(30_000);
  expect(socket.readyState).toBe(WebSocket.OPEN);
  jest.advanceTimersByTime(30_000);
  await eventually('it is cut off', () => socket.readyState === WebSocket.CLOSED);
});
