import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeEach, expect, test } from '@jest/globals';
import { Agent } from 'undici';
import type { ClusterService } from '../../../../src/cluster/model/cluster-service.ts';
import type { Host } from '../../../../src/cluster/model/host.ts';
import { requestPeer } from '../../../../src/http/cluster/peers.ts';

const connection = new Agent();
let server: Server;
let host: Host;
/** As the registry has it: whoever asks after a host was found to be away has a new one. */
let away: AbortController;

beforeEach(async () => {
  away = new AbortController();
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  host = { id: 'two', name: 'two', url: `http://127.0.0.1:${port}`, pin: null, state: 'up' } as Host;
});
afterEach(() => server.close().closeAllConnections());
afterAll(async () => connection.destroy());

async function ask() {
  const cluster = {
    awaySignal: () => away.signal,
    passFor: () => 'pass',
    connectionTo: () => connection,
  } as unknown as ClusterService;
  return requestPeer(cluster, host, { method: 'GET', path: '/jobs', asker: null, signal: away.signal });
}

test('a host that is found to be away while it is asked is one that does not answer', async () => {
  const asked = ask();
  await once(server, 'request');
  const before = away;
  away = new AbortController();
  before.abort();
  await expect(asked).rejects.toMatchObject({ code: 'host-unavailable' });
});

test('a host that does not let this one in is one that does not answer: no client has to log in for that', async () => {
  server.on('request', (_request, response: ServerResponse) => response.writeHead(401).end('{}'));
  await expect(ask()).rejects.toMatchObject({ code: 'host-unavailable' });
});
