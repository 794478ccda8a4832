/** Replies that wait for earlier ones of their connection end with it. */
import { expect, test } from '@jest/globals';
import { once } from 'node:events';
import http, { type ServerResponse } from 'node:http';
import net from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { closeWaitingReplies } from '../../../src/http/server.ts';
import { eventually } from '../../support/eventually.ts';
import { listeners } from '../../support/listening.ts';

const listen = listeners();
const get = (target: string): string => `GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

test('each reply closes once, whatever was written to it', async () => {
  const replies: ServerResponse[] = [];
  const closed: string[] = [];
  const server = http.createServer((req, res) => {
    replies.push(res);
    res.on('close', () => closed.push(req.url ?? ''));
    if (req.url === '/ended') res.end('at once');
    if (req.url === '/begun') res.write('a part');
  });
  closeWaitingReplies(server);
  const client = net.connect(await listen(server), '127.0.0.1');
  await once(client, 'connect');
  client.write(['/pending', '/ended', '/begun', '/silent', '/late'].map(get).join(''));
  await eventually('all requests', () => replies.length === 5);
  client.destroy();
  await eventually('all are closed', () => closed.length === 5);
  expect(closed.toSorted()).toEqual(['/begun', '/ended', '/late', '/pending', '/silent']);
  expect(replies.map((res) => res.closed)).toEqual([true, true, true, true, true]);
  // The client has got none of them.
  expect(replies.map((res) => res.writableFinished)).toEqual([false, false, false, false, false]);
  // Handlers may go on.
  replies.at(-1)?.end('late');
  await setImmediate();
  expect(closed).toHaveLength(5);
});

test('replies that come in time are sent in order, and the connection goes on', async () => {
  const closed: string[] = [];
  const server = http.createServer((req, res) => {
    res.on('close', () => closed.push(req.url ?? ''));
    if (req.url === '/first') process.nextTick(() => res.end('1'));
    else res.end('2');
  });
  closeWaitingReplies(server);
  const client = net.connect(await listen(server), '127.0.0.1').setEncoding('utf8');
  let received = '';
  client.on('data', (text: string) => (received += text));
  for (const count of [2, 4]) {
    client.write(get('/first') + get('/second'));
    await eventually('the replies', () => closed.length === count);
  }
  await eventually('both rounds', () => received.split('HTTP/1.1 200 OK').length === 5);
  client.destroy();
  expect(closed).toEqual(['/first', '/second', '/first', '/second']);
});
