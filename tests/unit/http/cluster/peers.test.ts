import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { Agent } from 'undici';
import type { ClusterService } from '../../../../src/cluster/model/cluster-service.ts';
import type { Host } from '../../../../src/cluster/model/host.ts';
import { requestPeer } from '../../../../src/http/cluster/peers.ts';

const server = createServer();
const connection = new Agent();
afterEach(async () => {
  server.close().closeAllConnections();
  await connection.destroy();
});

test('a host that is found to be away while it is asked is one that does not answer', async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const host = { id: 'two', name: 'two', url: `http://127.0.0.1:${port}`, pin: null, state: 'up' } as Host;
  // As the registry has it: whoever asks after that has a new signal.
  let away = new AbortController();
  const cluster = {
    awaySignal: () => away.signal,
    passFor: () => 'pass',
    connectionTo: () => connection,
  } as unknown as ClusterService;
  const { signal } = away;
  const asked = requestPeer(cluster, host, { method: 'GET', path: '/jobs', asker: null, signal });
  const [request] = (await once(server, 'request')) as [{ url: string }];
  expect(request.url).toBe('/jobs');
  const before = away;
  away = new AbortController();
  before.abort();
  await expect(asked).rejects.toMatchObject({ code: 'host-unavailable' });
});
