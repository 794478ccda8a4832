/** What Node's own parser refuses, on servers without an application. */
import { expect, test } from '@jest/globals';
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { ParserErrors } from '../../../src/http/parser-errors.ts';
import { makePair, opensslMissing } from '../../support/certificates.ts';
import { listeners } from '../../support/listening.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const root = temporaryDirectory();

const listen = listeners();
let server: http.Server;
let parserErrors: ParserErrors;

/** A connection to a new server. */
async function connect(options: http.ServerOptions = {}): Promise<net.Socket> {
  server = http.createServer(options);
  parserErrors = new ParserErrors(server, new Map());
  return net.connect(await listen(server), '127.0.0.1');
}

test('a request that does not come in time is answered 408', async () => {
  const client = await connect({ connectionsCheckingInterval: 50, headersTimeout: 100 });
  client.write('GET / HTTP/1.1\r\nHost: ');
  expect(await textOf(client)).toMatch(/^HTTP\/1\.1 408 .*"code":"request-timeout"/s);
});

test('a reply that has begun is broken off, and no other one put into it', async () => {
  const client = await connect();
  // What came before a reset counts, and that there was one does not.
  let received = '';
  client.setEncoding('utf8').on('data', (text: string) => (received += text));
  client.on('error', () => undefined);
  server.on('request', (_req, res) => void res.write('half a reply'));
  client.write('POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n');
  await once(client, 'data');
  client.write('this is no chunk\r\n');
  await once(client, 'close');
  expect(received).toContain('half a reply');
  expect(received).not.toContain(' 400 ');
});

test.each([
  ['a connection that the client has reset', 'ECONNRESET'],
  ['one of which nobody knows what became', undefined],
])('%s is closed without a word', async (_what, code) => {
  const client = await connect();
  const [socket] = (await once(server, 'connection')) as [net.Socket];
  server.emit('clientError', Object.assign(new Error('gone'), { code }), socket);
  expect(await textOf(client)).toBe('');
  expect(socket.destroyed).toBe(true);
});

test('a connection is busy from its request to its reply', async () => {
  const client = await connect();
  const asked = once(server, 'request') as Promise<[http.IncomingMessage, http.ServerResponse]>;
  const [socket] = (await once(server, 'connection')) as [net.Socket];
  expect(parserErrors.isBusy(socket)).toBe(false);
  client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const [, res] = await asked;
  expect(parserErrors.isBusy(socket)).toBe(true);
  const closed = once(res, 'close');
  res.end();
  await closed;
  expect(parserErrors.isBusy(socket)).toBe(false);
  client.destroy();
});

const because = opensslMissing === undefined ? '' : ` (skipped: ${opensslMissing})`;

(opensslMissing === undefined ? test : test.skip)(
  `a connection that never finishes its handshake is closed${because}`,
  async () => {
    const secure = https.createServer({ ...makePair(root, 'silent'), handshakeTimeout: 100 });
    void new ParserErrors(secure, new Map());
    const socket = net.connect(await listen(secure), '127.0.0.1');
    socket.resume();
    await once(socket, 'close');
  },
);
