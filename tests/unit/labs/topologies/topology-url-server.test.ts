/** What a server of topologies sees of us, and what is said of one that does not answer as it should. */
import { afterEach, expect, test } from '@jest/globals';
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import { downloadTopology } from '../../../../src/labs/topologies/topology-url.ts';
import { makePair, opensslMissing } from '../../../support/certificates.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const directory = temporaryDirectory();
const servers: http.Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** The port of a server that answers with the headers that it was sent. */
async function portOf(server: http.Server | https.Server, address = '127.0.0.1'): Promise<number> {
  servers.push(server);
  server.on('request', (req, res) => void res.end(JSON.stringify(req.headers)));
  server.listen(0, address);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function reasonOf(...download: Parameters<typeof downloadTopology>): Promise<string> {
  const error = await failureOf(downloadTopology(...download));
  expect(error.code).toBe('topology-download-failed');
  return error.message;
}

test.each(['[::1]', '[::1]:8080', '::1', ' [::1] ', ' ::1 ', ' localhost:80 '])(
  'the list may hold %j',
  async (entry) => {
    const host = entry.includes('localhost') ? 'localhost' : '[::1]';
    // Port 1 is nobody's: allowed means that it is asked.
    expect(await reasonOf(`http://${host}:1/`, [entry])).not.toContain('LAB_API_TOPOLOGY_HOSTS');
  },
);

test.each(['[::2]', '[::1]x', 'x[::1]', '[]', ':1'])('%j in the list is not [::1]', async (entry) => {
  expect(await failureOf(downloadTopology('http://[::1]:1/', [entry]))).toMatchObject({
    code: 'forbidden-host',
  });
});

const hasIpv6 = Object.values(os.networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === '::1'),
);

(hasIpv6 ? test : test.skip)(
  `an IPv6 address that was checked is the one that is asked${hasIpv6 ? '' : ' (this machine has none)'}`,
  async () => {
    const port = await portOf(http.createServer(), '::1');
    const lookupAll = () => Promise.resolve([{ address: '::1', family: 6 }]);
    expect(await downloadTopology(`http://lab.example:${port}/`, ['lab.example'], lookupAll)).toContain(
      'lab.example',
    );
  },
);

test.each([
  ['has no address', () => Promise.resolve([]), 'the exchange with the server failed'],
  ['breaks without a code', () => Promise.reject(new Error('secret')), 'the exchange with the server failed'],
  ['breaks oddly', () => Promise.reject(Object.assign(new Error(), { code: 'EODD' })), 'failed (EODD)'],
  ['is slow', () => Promise.reject(Object.assign(new Error(), { code: 'EAI_AGAIN' })), 'does not answer'],
])('a name that %s', async (_what, lookupAll, reason) => {
  const message = await reasonOf('http://lab.example/', ['lab.example'], lookupAll);
  expect(message).toContain(reason);
  expect(message).not.toContain('secret');
});

(opensslMissing === undefined ? test : test.skip)(
  `a certificate that nobody vouches for is told from a server without TLS${opensslMissing === undefined ? '' : ` (${opensslMissing})`}`,
  async () => {
    const secure = await portOf(https.createServer(makePair(directory, 'labs')));
    expect(await reasonOf(`https://127.0.0.1:${secure}/`, ['127.0.0.1'])).toContain('is not trusted');
    const plain = await portOf(http.createServer());
    expect(await reasonOf(`https://127.0.0.1:${plain}/`, ['127.0.0.1'])).toContain('does not speak TLS');
  },
);
