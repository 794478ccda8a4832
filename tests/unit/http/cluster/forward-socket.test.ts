/** A WebSocket to another host, through this one: both are servers of this process. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import net from 'node:net';
import { text } from 'node:stream/consumers';
import { WebSocket, WebSocketServer } from 'ws';
import type { Host } from '../../../../src/cluster/model/host.ts';
import { forward } from '../../../../src/http/cluster/forward.ts';
import { answerUpgrades } from '../../../../src/http/upgrades.ts';
import { eventually } from '../../../support/eventually.ts';
import { listeners } from '../../../support/listening.ts';
import { appOf, clusterOf, hostAt, olga } from '../../../support/plain-cluster.ts';

const listen = listeners();
let server: http.Server;
let host: Host;
let cluster: ReturnType<typeof clusterOf>;
let port: number;
/** How the service counts what it has answered. */
let statuses: number[];

beforeEach(async () => {
  server = http.createServer();
  host = hostAt(await listen(server));
  cluster = clusterOf([host]);
  const done: number[] = [];
  statuses = done;
  const app = appOf(olga, async (req, res) => {
    res.once('close', () => done.push(res.statusCode));
    await forward(req, res, { cluster, host, path: req.originalUrl, basePath: '/here' });
  });
  const here = http.createServer(app);
  answerUpgrades(
    here,
    (req, res) => app(req, res),
    () => false,
  );
  port = await listen(here);
});

const path = '/labs/l/nodes/r1/terminal?rows=20';
const clientOf = (options = {}): WebSocket => new WebSocket(`ws://127.0.0.1:${port}${path}`, ['x'], options);

async function joined(): Promise<{ client: WebSocket; there: WebSocket; req: IncomingMessage }> {
  const connected = once(new WebSocketServer({ server }), 'connection') as Promise<
    [WebSocket, IncomingMessage]
  >;
  const headers = { authorization: 'Basic secret', cookie: 'session=secret', 'x-end': 'of the whole way' };
  const client = clientOf({ origin: 'http://here.example', headers });
  await once(client, 'open');
  const [there, req] = await connected;
  there.on('error', () => undefined);
  client.on('error', () => undefined);
  return { client, there, req };
}

describe('once the host agrees', () => {
  test('both sides hear each other, and the host knows who asks, not by what secret', async () => {
    const { client, there, req } = await joined();
    const heard = once(there, 'message');
    client.send('hello');
    expect(String((await heard)[0])).toBe('hello');
    there.send('good day');
    expect(String((await once(client, 'message'))[0])).toBe('good day');
    expect(client.protocol).toBe('x');
    expect(req.url).toBe(path);
    expect(req.headers).toMatchObject({
      'x-end': 'of the whole way',
      'x-request-id': 'the-request',
      'x-lab-api-pass': 'pass for two',
    });
    for (const secret of ['authorization', 'cookie', 'origin'])
      expect(req.headers).not.toHaveProperty(secret);
    const asker = { name: 'olga', role: 'operator', workdirs: null };
    expect(cluster.asked).toEqual([{ host: 'two', method: 'GET', path, asker }]);
    client.terminate();
    await eventually('it is counted', () => statuses.length > 0);
    expect(statuses).toEqual([101]);
  });

  // 1006: the connection was lost (RFC 6455, section 7.4.1).
  test.each<['client' | 'there', string, (socket: WebSocket) => void, [number, string]]>([
    ['client', 'closes', (socket) => socket.close(4001, 'enough'), [4001, 'enough']],
    ['there', 'closes', (socket) => socket.close(4002, 'the node is gone'), [4002, 'the node is gone']],
    ['client', 'is cut off', (socket) => socket.terminate(), [1006, '']],
    ['there', 'is cut off', (socket) => socket.terminate(), [1006, '']],
  ])('when one (%s) %s, the other is told, and why', async (side, _what, end, [code, reason]) => {
    const both = await joined();
    const other = side === 'client' ? both.there : both.client;
    const closed = once(other, 'close') as Promise<[number, Buffer]>;
    end(both[side]);
    expect((await closed).map(String)).toEqual([String(code), reason]);
  });

  test('both are cut off when the host is found to be away', async () => {
    const { client, there } = await joined();
    const closed = Promise.all([once(client, 'close'), once(there, 'close')]);
    cluster.lose(host);
    expect((await closed).map(([code]) => code as number)).toEqual([1006, 1006]);
  });
});

const handshake = [`GET ${path} HTTP/1.1`, 'Host: localhost', 'Connection: Upgrade', 'Upgrade: websocket'];

test('what either side says right behind its words of HTTP is heard by the other', async () => {
  const heard = new Promise<string>((resolve) => {
    server.on('upgrade', (_req: IncomingMessage, socket: net.Socket, head: Buffer) => {
      const agreed = [
        'HTTP/1.1 101 Fine',
        'Connection: Upgrade',
        'Upgrade: websocket',
        'X-A: 1',
        'X-A: 2',
        'Set-Cookie: session=of-the-host',
      ];
      socket.write(`${agreed.join('\r\n')}\r\n\r\nfrom the host`);
      let all = head.toString();
      socket.on('data', (piece: Buffer) => (all += piece.toString()));
      socket.on('end', () => {
        resolve(all);
        socket.end();
      });
    });
  });
  const client = net.connect(port, '127.0.0.1');
  client.write(`${handshake.join('\r\n')}\r\n\r\nfrom the client`);
  let said = '';
  client.on('data', (piece: Buffer) => (said += piece.toString()));
  await eventually('the client has heard it', () => said.endsWith('from the host'));
  client.end();
  expect(await heard).toBe('from the client');
  const [head = ''] = said.split('\r\n\r\n');
  expect(head.split('\r\n').map((line) => line.toLowerCase())).toEqual(
    expect.arrayContaining([
      'http/1.1 101 switching protocols',
      'connection: upgrade',
      'upgrade: websocket',
      'x-a: 1',
      'x-a: 2',
    ]),
  );
  // Of a session, which only this host begins.
  expect(head).not.toContain('of-the-host');
});

describe('when the host does not agree', () => {
  test('the client reads why, in the words of the host', async () => {
    server.on('request', (_req, res: http.ServerResponse) => {
      res.writeHead(404, { 'content-type': 'text/plain', location: '/jobs/1' }).end('there is no such node');
    });
    const [, reply] = (await once(clientOf(), 'unexpected-response')) as [unknown, IncomingMessage];
    expect(reply.statusCode).toBe(404);
    expect(reply.headers).toMatchObject({ 'content-type': 'text/plain', location: '/here/jobs/1' });
    expect(await text(reply)).toBe('there is no such node');
    expect(statuses).toEqual([404]);
  });
});
