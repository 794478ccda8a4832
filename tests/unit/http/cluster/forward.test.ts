/** What is passed on to another host, and what comes back, over sockets; the host is a bare server of this process. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Principal } from '../../../../src/access/model/principal.ts';
import type { Host } from '../../../../src/cluster/model/host.ts';
import { forward } from '../../../../src/http/cluster/forward.ts';
import { eventually } from '../../../support/eventually.ts';
import { freePort } from '../../../support/free-port.ts';
import { open, request } from '../../../support/http-client.ts';
import { listeners } from '../../../support/listening.ts';
import { appOf, clusterOf, hostAt, olga } from '../../../support/plain-cluster.ts';

const listen = listeners();
let server: http.Server;
let host: Host;
let cluster: ReturnType<typeof clusterOf>;
/** How each request that was passed on has ended: with an error, or undefined. */
let ends: unknown[];

beforeEach(async () => {
  server = http.createServer();
  host = hostAt(await listen(server));
  cluster = clusterOf([host]);
  ends = [];
});

/** The address of a service that passes everything on to the host. */
async function through({
  principal = olga,
  basePath = '',
}: { readonly principal?: Principal; readonly basePath?: string } = {}): Promise<string> {
  const done = ends;
  const app = appOf(principal, async (req, res) => {
    const path = req.originalUrl.slice(basePath.length);
    const passed = forward(req, res, { cluster, host, path, basePath });
    done.push(await passed.catch((error: unknown) => error));
    await passed;
  });
  return `http://127.0.0.1:${await listen(http.createServer(app))}`;
}

/** It is nobody's fault here, and nobody is left to tell: the log would say that the service has failed. */
async function endsWithoutError(): Promise<void> {
  await eventually('it has ended', () => ends.length > 0);
  expect(ends).toEqual([undefined]);
}

async function asked(): Promise<{ req: IncomingMessage; res: ServerResponse }> {
  const [req, res] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  return { req, res };
}

describe('a request', () => {
  test('comes to the host as it was sent, with who asks for it, and its name', async () => {
    const url = await through();
    const reply = request(url, '/jobs?wait=1', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'k1', 'x-request-id': 'another' },
      body: '{"action":"up"}',
    });
    const { req, res } = await asked();
    const { method, url: target, headers } = req;
    expect({ method, target, headers }).toMatchObject({
      method: 'POST',
      target: '/jobs?wait=1',
      headers: {
        'content-type': 'application/json',
        'content-length': '15',
        'idempotency-key': 'k1',
        'x-request-id': 'the-request',
        'x-lab-api-pass': 'pass for two',
      },
    });
    expect(await text(req)).toBe('{"action":"up"}');
    res.end();
    await reply;
    const asker = { name: 'olga', role: 'operator', workdirs: null };
    expect(cluster.asked).toEqual([{ host: 'two', method: 'POST', path: '/jobs?wait=1', asker }]);
  });

  test('leaves behind what is of the login, of one connection, or says where it came from', async () => {
    const url = await through();
    const reply = request(url, '/', {
      headers: {
        authorization: 'Bearer secret',
        cookie: 'session=secret',
        'proxy-authorization': 'Basic secret',
        origin: 'http://elsewhere.example',
        referer: 'http://elsewhere.example/page',
        'sec-fetch-site': 'cross-site',
        'sec-fetch-mode': 'cors',
        te: 'trailers',
        'keep-alive': 'timeout=5',
        connection: 'close, X-Hop,x-other-hop',
        'x-hop': 'of this connection',
        'x-other-hop': 'of this connection',
        'x-end': 'of the whole way',
        'sec-gpc': '1',
      },
    });
    const { req, res } = await asked();
    res.end();
    await reply;
    const { host: named, connection: _own, ...headers } = req.headers;
    expect(named).toBe(new URL(host.url).host);
    expect(headers).toEqual({
      'x-end': 'of the whole way',
      'sec-gpc': '1',
      'x-request-id': 'the-request',
      'x-lab-api-pass': 'pass for two',
    });
  });

  test('whose body is of unknown length comes piece by piece', async () => {
    const { port } = new URL(await through());
    const sent = http.request({ port, host: '127.0.0.1', method: 'PUT', path: '/w', agent: false });
    sent.write('first ');
    const { req, res } = await asked();
    expect(String((await once(req, 'data'))[0])).toBe('first ');
    sent.end('second');
    expect(await text(req)).toBe('second');
    res.end('thanks');
    const [reply] = (await once(sent, 'response')) as [IncomingMessage];
    expect(await text(reply)).toBe('thanks');
  });

  test('is not sent once the login has ended', async () => {
    const revoked = AbortSignal.abort();
    const reply = await request(await through({ principal: { ...olga, revoked } }), '/');
    expect(reply.status).toBe(401);
    expect(cluster.asked).toEqual([]);
  });

  test('to a host at which nobody listens is answered with a sentence', async () => {
    host = hostAt(await freePort());
    const reply = await request(await through(), '/');
    expect(reply.headers['retry-after']).toBe('5');
    expect([reply.status, reply.json.code]).toEqual([503, 'host-unavailable']);
    expect(reply.json.detail).toMatch(/^the host two does not answer: /);
  });

  test.each<[string, (req: IncomingMessage, res: ServerResponse) => unknown]>([
    ['cuts it off', (req) => req.socket.destroy()],
    ['answers with what is no HTTP', (req) => req.socket.end('220 mail.example ESMTP\r\n')],
    ['is found to be away before it has answered', () => cluster.lose(host)],
    // No client has to log in for that.
    ['does not let this one in', (_req, res) => res.writeHead(401).end('{}')],
  ])('to a host that %s is answered with a sentence', async (_what, act) => {
    const reply = request(await through(), '/');
    const { req, res } = await asked();
    act(req, res);
    const detail: unknown = expect.stringMatching(/^the host two /);
    expect(await reply).toMatchObject({ status: 503, json: { code: 'host-unavailable', detail } });
  });

  test('of a client that goes away is ended at the host', async () => {
    const gone = new AbortController();
    const reply = open(await through(), '/', { signal: gone.signal }).catch(() => 'gone');
    const { res } = await asked();
    const closed = once(res, 'close');
    gone.abort();
    await closed;
    expect(await reply).toBe('gone');
    await endsWithoutError();
  });

  test('whose body breaks off does not come to an end at the host', async () => {
    const { port } = new URL(await through());
    const sent = http.request({ port, host: '127.0.0.1', method: 'PUT', path: '/w', agent: false });
    sent.on('error', () => undefined);
    sent.write('a part');
    const { req } = await asked();
    const failed = text(req).catch((error: unknown) => error);
    sent.destroy();
    expect(await failed).toMatchObject({ code: 'ECONNRESET' });
    await endsWithoutError();
  });
});

describe('a reply', () => {
  test('comes back with its status and its headers, but for those of one connection or of a login', async () => {
    const reply = request(await through(), '/');
    const { res } = await asked();
    res.writeHead(418, 'whatever', {
      'content-type': 'text/x-tea',
      etag: '"1"',
      link: ['</a>; rel=next', '</b>; rel=prev'],
      'set-cookie': 'session=of-the-host',
      'keep-alive': 'timeout=99',
      connection: 'keep-alive, x-hop',
      'x-hop': 'of that connection',
    });
    res.end('tea');
    const { status, headers, text: body } = await reply;
    expect({ status, headers, body }).toMatchObject({
      status: 418,
      headers: { 'content-type': 'text/x-tea', etag: '"1"', link: '</a>; rel=next, </b>; rel=prev' },
      body: 'tea',
    });
    expect(headers['keep-alive']).not.toBe('timeout=99');
    expect(Object.keys(headers)).not.toEqual(expect.arrayContaining([expect.stringMatching(/x-hop|cookie/)]));
  });

  test('begins for the client as soon as it begins, and goes on piece by piece', async () => {
    const opened = open(await through(), '/log');
    const { res } = await asked();
    res.flushHeaders();
    const reply = await opened;
    const pieces = (reply as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
    for (const piece of ['one', 'two']) {
      res.write(piece);
      expect(String((await pieces.next()).value)).toBe(piece);
    }
    res.end();
    expect((await pieces.next()).done).toBe(true);
    expect(reply.complete).toBe(true);
  });

  test.each<[string, (res: ServerResponse) => unknown]>([
    ['that the host breaks off', (res) => res.destroy()],
    ['of a host that is found to be away', () => cluster.lose(host)],
  ])('%s is broken off for the client', async (_what, act) => {
    const opened = open(await through(), '/log');
    const { res } = await asked();
    res.write('half');
    const reply = await opened;
    reply.once('data', () => void act(res));
    await expect(text(reply)).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(reply.complete).toBe(false);
    await endsWithoutError();
  });

  test.each([
    ['of the host', '', '/jobs/1', '/jobs/1'],
    ['below the base path of the host', '/there/', '/there/jobs/1', '/jobs/1'],
    ['that only begins like that base path', '/there', '/thereabouts/1', '/thereabouts/1'],
    ['of somewhere else', '/there', 'https://docs.example/there/', 'https://docs.example/there/'],
  ])('that leads to a place %s leads there through this host', async (_what, there, location, below) => {
    host = { ...host, url: `${host.url}${there}` };
    const reply = request(await through({ basePath: '/here' }), '/here/jobs');
    const { req, res } = await asked();
    expect(req.url).toBe(`${there.replace(/\/$/, '')}/jobs`);
    res.writeHead(201, { location }).end();
    const isHere = below.startsWith('/jobs');
    expect((await reply).headers.location).toBe(isHere ? `/here${below}` : below);
  });

  test('of a client that is not read holds the host back', async () => {
    const opened = open(await through(), '/download');
    const { res } = await asked();
    const piece = Buffer.alloc(1024 * 1024);
    res.write(piece);
    const reply = await opened;
    let pieces = 1;
    await eventually('the host has to wait', () => {
      if (res.writableLength > 8 * piece.length) return true;
      for (let more = 0; more < 8; more += 1) res.write(piece);
      pieces += 8;
      return undefined;
    });
    res.end();
    let bytes = 0;
    for await (const chunk of reply as AsyncIterable<Buffer>) bytes += chunk.length;
    expect(bytes).toBe(pieces * piece.length);
  });
});
