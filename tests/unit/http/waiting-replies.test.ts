/** Replies that wait for earlier ones of their connection end with it. */
import { expect, test } from '@jest/globals';
import { once } from 'node:events';
import http, { type ServerResponse } from 'node:http';
import net from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { ParserErrors } from '../../../src/http/parser-errors.ts';
import { closeWaitingReplies } from '../../../src/http/server.ts';
import { eventually } from '../../support/eventually.ts';
import { listeners } from '../../support/listening.ts';

const listen = listeners();
const get = (target: string, version = '1.1'): string =>
  `GET ${target} HTTP/${version}\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n`;

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
  const early = ['/pending', '/ended', '/begun', '/silent'].map((target) => get(target));
  client.write(`${early.join('')}${get('/late', '1.0')}`);
  await eventually('all requests', () => replies.length === 5);
  client.destroy();
  await eventually('all are closed', () => closed.length === 5);
  expect(closed.toSorted()).toEqual(['/begun', '/ended', '/late', '/pending', '/silent']);
  expect(replies.map((res) => res.closed)).toEqual([true, true, true, true, true]);
  // The client has got none of them.
  expect(replies.map((res) => res.writableFinished)).toEqual([false, false, false, false, false]);
  // Handlers may go on. A reply of HTTP/1.0 has no chunks, and ends at once.
  replies.at(-1)?.flushHeaders();
  replies.at(-1)?.end();
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

test('half a request at the end does not keep a stream open', async () => {
  const closed: string[] = [];
  const server = http.createServer((req, res) => {
    res.on('close', () => closed.push(req.url ?? ''));
    if (req.url === '/stream') res.write('a part');
    else res.end();
  });
  closeWaitingReplies(server);
  void new ParserErrors(server, new Map());
  const client = net.connect({ port: await listen(server), allowHalfOpen: true });
  client.end(`${get('/stream')}${get('/whole')}GET / HTTP/1.1\r\nHo`);
  client.resume();
  await eventually('both are closed', () => closed.length === 2);
  client.destroy();
});
