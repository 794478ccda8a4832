/** What lets a request through or refuses it by what its head says. */
import { describe, expect, test } from '@jest/globals';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import http from 'node:http';
import net from 'node:net';
import os from 'node:os';
import { once } from 'node:events';
import { knownHost, oneHost } from '../../../../src/http/middleware/host-header.ts';
import { sameSite } from '../../../../src/http/middleware/same-site.ts';
import type { AppError } from '../../../../src/lib/app-error.ts';
import { answerOf } from '../../../support/answer-of.ts';

/** Tells what became of a request: `passed`, or the code of the refusal. */
function gate(handler: RequestHandler) {
  const refusal: ErrorRequestHandler = (error: AppError, _req, res, _next) =>
    void res.send(`${error.code}: ${error.message}`);
  const answer: RequestHandler = (_req, res) => void res.send('passed');
  return express().use(handler, answer, refusal);
}

/** The reply of a handler to a request, as both are on the socket. */
async function replyOf(handler: RequestHandler, head: string): Promise<string> {
  // As the service has it: a request without `Host` comes to the middleware.
  const server = http.createServer({ requireHostHeader: false }, express().use(gate(handler)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = net.connect((server.address() as net.AddressInfo).port, '127.0.0.1');
  socket.end(`${head}\r\n\r\n`);
  const chunks: Buffer[] = [];
  for await (const chunk of socket as AsyncIterable<Buffer>) chunks.push(chunk);
  server.close();
  return Buffer.concat(chunks).toString();
}

describe('a Host header', () => {
  const host = async (given: string, allowed: string[] = []): Promise<string> =>
    (await answerOf(gate(knownHost(allowed)), { headers: { Host: given } })).text;

  test.each([
    'localhost',
    'LOCALHOST',
    'localhost.',
    'localhost:8080',
    'localhost:',
    'lab.localhost',
    '127.0.0.1',
    '192.0.2.1:80',
    '[::1]',
    '[::1]:8080',
    os.hostname(),
    os.hostname().toUpperCase(),
  ])('%s is ours', async (given) => expect(await host(given)).toBe('passed'));

  test.each([
    'labs.example',
    'localhost.example',
    'localhost..',
    'notlocalhost',
    '[::1].evil',
    'evil[::1]',
    '[::1',
    '::1]',
    '127.0.0.1.example',
    '1.2.3.4.5',
    '[::1]evil.example:80',
    'localhost:80:80',
    'localhost:port',
  ])('%s is not', async (given) => {
    const refusal = await host(given);
    expect(refusal).toMatch(/^forbidden-host: /);
    expect(refusal).toContain('LAB_API_ALLOWED_HOSTS');
  });

  test('is not asked of HTTP/1.0', async () =>
    expect(await replyOf(knownHost([]), 'GET / HTTP/1.0')).toMatch(/\r\n\r\npassed$/));

  test('that the administrator allows is ours, and no other', async () => {
    expect(await host('Labs.example:80', ['labs.example'])).toBe('passed');
    expect(await host('sub.labs.example', ['labs.example'])).toContain('"sub.labs.example"');
  });
});

describe('the number of Host headers', () => {
  test.each([
    'GET / HTTP/1.1\r\nHost: a',
    'GET / HTTP/1.1\r\nX-Word: host\r\nhost: a',
    'GET / HTTP/1.0\r\nHost: a',
    'GET / HTTP/1.0',
  ])('%j is right', async (head) => expect(await replyOf(oneHost, head)).toMatch(/\r\n\r\npassed$/));

  test.each([
    'GET / HTTP/1.1',
    'GET / HTTP/1.1\r\nHost: a\r\nHost: b',
    'GET / HTTP/1.0\r\nHost: a\r\nHost: b',
  ])('%j is wrong, and nothing more is read of that connection', async (head) => {
    const text = await replyOf(oneHost, head);
    expect(text).toContain('invalid-request');
    expect(text).toMatch(/^Connection: close\r$/m);
  });
});

describe('a change', () => {
  const change = async (headers: Record<string, string>, method = 'POST'): Promise<string> =>
    (await answerOf(gate(sameSite([])), { method, headers })).text;

  test.each([
    {},
    { 'Sec-Fetch-Site': 'same-origin' },
    { 'Sec-Fetch-Site': 'none' },
    { Host: 'labs:80', Origin: 'https://labs:80' },
    // The newer header is the one that counts.
    { 'Sec-Fetch-Site': 'same-origin', Origin: 'https://evil.example' },
  ])('with %j is from here', async (headers) => expect(await change(headers)).toBe('passed'));

  test.each([
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site' },
    { Host: 'labs:80', Origin: 'https://evil.example' },
    { Host: 'labs:80', Origin: 'https://labs:81' },
    { Host: 'labs:80', Origin: 'null' },
    { Host: 'labs:80', Origin: '://' },
    { 'Sec-Fetch-Site': 'cross-site', Host: 'labs:80', Origin: 'https://labs:80' },
  ])('with %j is from elsewhere', async (headers) => expect(await change(headers)).toMatch(/^cross-site: /));

  test.each(['DELETE', 'PUT', 'PATCH'])('%s is one', async (method) =>
    expect(await change({ 'Sec-Fetch-Site': 'cross-site' }, method)).toMatch(/^cross-site: /),
  );

  test.each(['GET', 'OPTIONS'])('%s is none', async (method) =>
    expect(await change({ 'Sec-Fetch-Site': 'cross-site' }, method)).toBe('passed'),
  );

  test('HEAD is none', async () =>
    expect(
      await answerOf(gate(sameSite([])), { method: 'HEAD', headers: { 'Sec-Fetch-Site': 'cross-site' } }),
    ).toMatchObject({ headers: { 'content-length': String('passed'.length) } }));
});
