/** A client and a terminal that is an object of the test; http/node-terminal has real ones. */
import { afterEach, expect, jest, test } from '@jest/globals';
import { once } from 'node:events';
import { type AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';
import { serveTerminal } from '../../../../src/http/reply/terminal-socket.ts';
import type { Terminal } from '../../../../src/labs/nodes/terminal.ts';
import { eventually } from '../../../support/eventually.ts';
import { holdTime } from '../../../support/session-here.ts';

const ends: (() => void)[] = [];
afterEach(() => {
  jest.useRealTimers();
  for (const end of ends.splice(0)) end();
});

/** A client at a terminal, and what the program there has not read yet. */
async function connected(options: { autoPong?: boolean } = {}) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
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
  let [typed, unreadBytes] = ['', 0];
  const terminal = {
    ended: new Promise(() => undefined),
    onOutput: () => undefined,
    write: (bytes: Buffer) => (typed += bytes.toString()),
    get unreadBytes() {
      return unreadBytes;
    },
    close: async () => Promise.resolve(),
  } as unknown as Terminal;
  holdTime();
  serveTerminal(socket, terminal, { idleMs: 3_600_000, shutdown: new AbortController().signal });
  let pings = 0;
  client.on('ping', () => (pings += 1));
  return {
    client,
    socket,
    typed: () => typed,
    pings: () => pings,
    leaveUnread: (bytes: number) => (unreadBytes = bytes),
  };
}

test('a client that answers no ping is gone', async () => {
  const { socket, pings } = await connected({ autoPong: false });
  jest.advanceTimersByTime(30_000);
  await eventually('it is asked', () => pings() === 1);
  expect(socket.readyState).toBe(WebSocket.OPEN);
  jest.advanceTimersByTime(30_000);
  await eventually('it is cut off', () => socket.readyState === WebSocket.CLOSED);
});

test('a client that nothing is read from, as its program does not read, is there however long that takes', async () => {
  const { client, socket, typed, pings, leaveUnread } = await connected();
  leaveUnread(100_000);
  client.send(Buffer.from('early'));
  await eventually('nothing more is read from it', () => socket.isPaused);
  for (let minute = 0; minute < 5; minute += 1) jest.advanceTimersByTime(60_000);
  await eventually('it is asked all the same', () => pings() === 10);
  client.send(Buffer.from(' late'));
  expect([socket.readyState, typed()]).toEqual([WebSocket.OPEN, 'early']);
  leaveUnread(0);
  jest.advanceTimersByTime(30_000);
  expect(socket.readyState).toBe(WebSocket.OPEN);
  await eventually('the rest', () => typed() === 'early late');
});
