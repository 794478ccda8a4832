/** Requests that wish for another protocol, on servers that answer with what they were asked. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import http, { type RequestListener } from 'node:http';
import https from 'node:https';
import net from 'node:net';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { answerUpgrades } from '../../../src/http/upgrades.ts';
import { deferred } from '../../../src/lib/async/deferred.ts';
import { makePair, opensslMissing } from '../../support/certificates.ts';
import { listeners } from '../../support/listening.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const root = temporaryDirectory();

/** Tells in its body what came, and by which way; the connection ends with the reply unless it is that to `/first`. */
function telling(way: 'as a request' | 'as an upgrade'): RequestListener {
  return (req, res) => {
    const { method, url, rawHeaders } = req;
    if (way === 'as a request' && url !== '/first') res.setHeader('Connection', 'close');
    void text(req).then((body) => res.end(JSON.stringify({ way, method, url, rawHeaders, body })));
  };
}

const webSocket = ['Connection: Upgrade', 'Upgrade: websocket'];
const requestOf = (method: string, target: string, ...headers: readonly string[]): string =>
  [`${method} ${target} HTTP/1.1`, 'Host: localhost', ...headers, '', ''].join('\r\n');

const listen = listeners();
let server: http.Server;
let port: number;
let busy: (socket: Duplex) => boolean;
let serveUpgrade: RequestListener;

/** All that comes back on one connection; the client does not end its side. */
async function repliesTo(bytes: string | Buffer): Promise<string> {
  const socket = net.connect(port, '127.0.0.1');
  socket.write(bytes);
  return text(socket);
}

/** What the server says has come, one for each reply, and the headers of the replies. */
async function toldOf(bytes: string | Buffer): Promise<Record<string, unknown>[]> {
  const replies = (await repliesTo(bytes)).split('HTTP/1.1 ').slice(1);
  return replies.map((reply) => {
    const [head = '', body = ''] = reply.split('\r\n\r\n');
    return { head, ...(JSON.parse(body) as object) };
  });
}

beforeEach(async () => {
  busy = () => false;
  serveUpgrade = telling('as an upgrade');
  server = http.createServer(telling('as a request'));
  answerUpgrades(
    server,
    (req, res) => serveUpgrade(req, res),
    (socket) => busy(socket),
  );
  port = await listen(server);
});

describe('a request for a WebSocket', () => {
  test('is answered on its connection, which is closed then', async () => {
    const [told] = await toldOf(requestOf('GET', '/terminal', ...webSocket));
    expect(told).toMatchObject({ way: 'as an upgrade', method: 'GET', url: '/terminal' });
    expect(told?.['head']).toMatch(/^200 OK\r\n[^]*Connection: close/);
  });

  test('may lose its connection while it is being answered', async () => {
    const asked = deferred<net.Socket>();
    serveUpgrade = (req) => asked.resolve(req.socket);
    const client = net.connect(port, '127.0.0.1');
    client.write(requestOf('GET', '/terminal', ...webSocket));
    const socket = await asked.promise;
    const closed = new Promise((resolve) => void socket.once('close', resolve));
    // An error that nobody listened to would end the service.
    expect(socket.listenerCount('error')).toBeGreaterThan(0);
    socket.destroy(new Error('the connection was reset'));
    await closed;
    client.destroy();
  });
});

describe('any other wish is not heard', () => {
  const plain = { way: 'as a request', body: '' };

  test.each([
    ['for another protocol', 'GET', ['Connection: Upgrade', 'Upgrade: h2c']],
    ['for a WebSocket that is no GET', 'DELETE', webSocket],
    ['in other letters', 'GET', ['connection: uPGRADE', 'UPGRADE: h2c']],
  ])('%s', async (_what, method, headers) => {
    const [told] = await toldOf(requestOf(method, '/jobs?x=1', ...headers));
    expect(told).toMatchObject({ ...plain, method, url: '/jobs?x=1', rawHeaders: ['Host', 'localhost'] });
  });

  test('and the other headers are as they came, those of the connection, too', async () => {
    const headers = ['Connection: Upgrade, HTTP2-Settings,keep-alive', 'Upgrade: h2c', 'HTTP2-Settings: AA'];
    const more = ['X-Byte: \u00e9', 'x-twice: 1', 'x-twice: 2', 'X-Empty:'];
    const bytes = Buffer.from(requestOf('GET', '/', ...headers, ...more), 'latin1');
    const [told] = await toldOf(bytes);
    expect(told).toMatchObject(plain);
    expect(told?.['rawHeaders']).toEqual([
      'Host',
      'localhost',
      'Connection',
      'HTTP2-Settings, keep-alive',
      'HTTP2-Settings',
      'AA',
      'X-Byte',
      '\u00e9',
      'x-twice',
      '1',
      'x-twice',
      '2',
      'X-Empty',
      '',
    ]);
  });

  test('and its body, and the request behind it, are read', async () => {
    const wish = ['Connection: Upgrade', 'Upgrade: h2c', 'Content-Length: 4'];
    const next = requestOf('GET', '/next', 'Connection: close');
    const told = await toldOf(`${requestOf('POST', '/first', ...wish)}body${next}`);
    expect(told).toMatchObject([
      { ...plain, url: '/first', body: 'body' },
      { ...plain, url: '/next' },
    ]);
  });
});

test.each([
  ['a WebSocket', webSocket],
  ['anything else', ['Connection: Upgrade', 'Upgrade: h2c']],
])('on a connection that waits for a reply, a wish for %s cuts it', async (_what, headers) => {
  const asked: (Duplex | undefined)[] = [];
  busy = (socket) => asked.push(socket) > 0;
  expect(await repliesTo(requestOf('GET', '/', ...headers)).catch(() => '')).toBe('');
  expect(asked).toEqual([expect.any(net.Socket)]);
});

(opensslMissing === undefined ? test : test.skip)(
  `over TLS it is the same${opensslMissing === undefined ? '' : ` (skipped: ${opensslMissing})`}`,
  async () => {
    const secure = https.createServer(makePair(root, 'upgrades'), telling('as a request'));
    answerUpgrades(
      secure,
      (req, res) => telling('as an upgrade')(req, res),
      () => false,
    );
    const securePort = await listen(secure);
    const replyTo = async (...headers: string[]): Promise<string> => {
      const socket = connectTls({ port: securePort, host: '127.0.0.1', rejectUnauthorized: false });
      socket.write(requestOf('GET', '/', ...headers));
      return text(socket);
    };
    expect(await replyTo(...webSocket)).toContain('"way":"as an upgrade"');
    expect(await replyTo('Connection: Upgrade, close', 'Upgrade: h2c')).toContain('"way":"as a request"');
  },
);
