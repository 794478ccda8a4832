/** Requests that may have a WebSocket, on a bare server. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import express from 'express';
import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { text } from 'node:stream/consumers';
import { WebSocket } from 'ws';
import { AppError } from '../../../src/lib/app-error.ts';
import { acceptWebSocket, answerUpgrades, checkHandshake } from '../../../src/http/upgrades.ts';
import { sendRaw } from '../../support/http-client.ts';
import { listeners } from '../../support/listening.ts';

/** What the application has done with each request, in order. */
let told: unknown[];
/** Called between the check and the opening. */
let before: (req: express.Request) => void | Promise<void>;
const listen = listeners();
let port: number;

beforeEach(async () => {
  // What comes late of an earlier test is not heard.
  const done: unknown[] = [];
  told = done;
  before = () => undefined;
  const app = express();
  const answer = async (req: express.Request, res: express.Response): Promise<void> => {
    try {
      checkHandshake(req, res);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      done.push(error.code);
      res.status(400).json(error.message);
      return;
    }
    await before(req);
    const serve = (socket: WebSocket): void => {
      done.push(res.statusCode);
      socket.on('message', (data: Buffer) => socket.send(data.toString().toUpperCase()));
      socket.on('close', (code) => done.push(code));
      socket.on('error', () => undefined);
    };
    acceptWebSocket(req, { serve, abandon: () => done.push('abandoned') });
  };
  app.get('/checked', (req, res, next) => void answer(req, res).catch(next));
  app.get('/unchecked', (req, res) => {
    expect(() => acceptWebSocket(req, { serve: () => undefined, abandon: () => undefined })).toThrow(
      'not checked',
    );
    res.end('refused');
  });
  const server = http.createServer(app);
  answerUpgrades(
    server,
    (req, res) => app(req, res),
    () => false,
  );
  port = await listen(server);
});

const key = 'dGhlIHNhbXBsZSBub25jZQ==';
const wish = ['Connection: Upgrade', 'Upgrade: websocket'];
const handshake = (...headers: readonly string[]): string =>
  ['GET /checked HTTP/1.1', 'Host: localhost', ...headers, '', ''].join('\r\n');

const replyTo = async (bytes: string): Promise<string> => sendRaw(`http://127.0.0.1:${port}`, bytes);

describe('a client of version 13', () => {
  test('gets one, on which it is heard at once, and counts as 101', async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/checked`);
    await once(socket, 'open');
    socket.send('hello');
    expect(String((await once(socket, 'message'))[0])).toBe('HELLO');
    expect(told).toEqual([101]);
    // What it says is short, and compression would cost memory for each.
    expect(socket.extensions).toBe('');
    socket.terminate();
  });

  test('may say 64 KiB at once, and is closed beyond that', async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/checked`);
    await once(socket, 'open');
    socket.send('x'.repeat(64 * 1024));
    expect(String((await once(socket, 'message'))[0])).toHaveLength(64 * 1024);
    socket.send('x'.repeat(64 * 1024 + 1));
    // 1009: message too big (RFC 6455, section 7.4.1).
    expect((await once(socket, 'close'))[0]).toBe(1009);
  });

  test('that sends its key as the standard has it is answered as that has it', async () => {
    const socket = net.connect(port, '127.0.0.1');
    socket.write(handshake(...wish, 'Sec-WebSocket-Version: 13', `Sec-WebSocket-Key: ${key}`));
    const [head] = (await once(socket, 'data')) as [Buffer];
    // RFC 6455, section 1.3.
    expect(String(head)).toMatch(/^HTTP\/1\.1 101 [^]*Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK\+xOo=/);
    socket.destroy();
  });
});

describe('refused, and told how to ask', () => {
  test.each([
    ['who asks for no WebSocket', ['Connection: close']],
    [
      'who asks for none, in the words of one who does',
      ['Connection: close', 'Sec-WebSocket-Version: 13', `Sec-WebSocket-Key: ${key}`],
    ],
    ['another version', [...wish, 'Sec-WebSocket-Version: 8', `Sec-WebSocket-Key: ${key}`]],
    ['no version', [...wish, `Sec-WebSocket-Key: ${key}`]],
  ])('%s', async (_what, given) => {
    const reply = await replyTo(handshake(...given));
    expect(told).toEqual(['upgrade-required']);
    expect(reply).toMatch(/^HTTP\/1\.1 400 /);
    expect(reply).toMatch(/^Upgrade: websocket\r$/m);
    expect(reply).toMatch(/^Sec-WebSocket-Version: 13\r$/m);
    expect(reply).toMatch(/^Connection: Upgrade\r$/m);
  });

  test.each([
    ['no key', []],
    ['a key that is too short', [`Sec-WebSocket-Key: ${key.slice(1)}`]],
    ['one that is too long', [`Sec-WebSocket-Key: x${key}`]],
    ['one with something behind it', [`Sec-WebSocket-Key: ${key}x`]],
    ['one that is not in base64', [`Sec-WebSocket-Key: ${key.replace('G', '!')}`]],
  ])('%s', async (_what, given) => {
    const reply = await replyTo(handshake(...wish, 'Sec-WebSocket-Version: 13', ...given));
    expect(told).toEqual(['invalid-request']);
    expect(reply).toContain('Sec-WebSocket-Key: must be');
    expect(reply).not.toMatch(/^Upgrade:/m);
  });
});

test('a client that has gone meanwhile gets none, and whoever would serve it is told', async () => {
  const client = net.connect(port, '127.0.0.1');
  before = async (req) => {
    const ended = once(req.socket, 'end');
    client.end();
    await ended;
    expect(req.socket.writable).toBe(true);
  };
  client.write(handshake(...wish, 'Sec-WebSocket-Version: 13', `Sec-WebSocket-Key: ${key}`));
  expect(await text(client)).toBe('');
  expect(told).toEqual(['abandoned']);
});

test('a request that was not checked is a mistake in the program, which it is told', async () => {
  expect(await replyTo(handshake('Connection: close').replace('/checked', '/unchecked'))).toMatch(/refused$/);
});
