import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import http from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import { downloadTopology } from '../../../../src/labs/topologies/topology-url.ts';
import { failureOf } from '../../../support/failure-of.ts';

const loopback = ['127.0.0.1'];
const requests: string[] = [];
let server: http.Server;
let base: string;

function reply(request: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x');
  requests.push(pathname);
  switch (pathname) {
    case '/topology.yml':
      return void response.end('nodes: [ä]\n');
    case '/hops': {
      const left = Number(searchParams.get('left'));
      const location = left > 0 ? `/hops?left=${left - 1}` : '/topology.yml';
      response.writeHead(302, { location });
      // A body nobody reads must not keep the connection, nor end the process when the connection is broken.
      return void response.end('x'.repeat(500_000));
    }
    case '/to':
      return void response.writeHead(307, { location: searchParams.get('url') ?? '' }).end();
    case '/nowhere':
      return void response.writeHead(302).end();
    case '/big':
      return void response.end(Buffer.alloc(1024 * 1024 + 1, 'x'));
    case '/limit':
      return void response.end(Buffer.alloc(1024 * 1024, 'x'));
    case '/latin1':
      return void response.end(Buffer.from('name: \xe4', 'latin1'));
    case '/break':
      response.writeHead(200, { 'content-length': '100' });
      response.write('nodes');
      return void response.socket?.destroy();
    default:
      return void response.writeHead(404).end('no');
  }
}

beforeAll(async () => {
  server = http.createServer(reply);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

describe('an allowed host', () => {
  test('gives its text', async () => {
    expect(await downloadTopology(`${base}/topology.yml`, loopback)).toBe('nodes: [ä]\n');
  });

  test('is compared without case, final dot and port', async () => {
    const url = base.replace('127.0.0.1', 'LOCALHOST.');
    expect(await downloadTopology(`${url}/topology.yml`, ['LocalHost:99'])).toContain('nodes');
  });

  test.each([
    ['/hops?left=2', undefined],
    ['/limit', undefined],
    ['/hops?left=3', 'redirected more than 3 times'],
    ['/big', 'larger than 1 MiB'],
    ['/latin1', 'not UTF-8'],
    ['/missing', 'status 404'],
    ['/nowhere', 'status 302'],
    ['/break', 'broke the connection'],
  ])('%s: %s', async (path, reason) => {
    const download = downloadTopology(base + path, loopback);
    if (reason === undefined) {
      expect(await download).not.toBe('');
      return;
    }
    const error = await failureOf(download);
    expect(error.code).toBe('topology-download-failed');
    expect(error.message).toContain(reason);
  });

  test.each([
    ['http://localhost/x', 'forbidden-host'],
    ['http://127.0.0.2/x', 'forbidden-host'],
    ['file:///etc/passwd', 'invalid-request'],
    ['http://u:p@127.0.0.1/', 'invalid-request'],
    ['http://[', 'invalid-request'],
  ])('that redirects to %s', async (url, code) => {
    const download = downloadTopology(`${base}/to?url=${encodeURIComponent(url)}`, loopback);
    expect(await failureOf(download)).toMatchObject({ code });
  });

  test('that refuses the connection', async () => {
    const unused = http.createServer();
    await new Promise<void>((resolve) => unused.listen(0, '127.0.0.1', resolve));
    const { port } = unused.address() as AddressInfo;
    await new Promise((resolve) => unused.close(resolve));
    const error = await failureOf(downloadTopology(`http://127.0.0.1:${port}/`, loopback));
    expect(error).toMatchObject({ code: 'topology-download-failed', cause: { code: 'ECONNREFUSED' } });
    expect(error.message).toContain('refuses connections');
    expect(error.message).not.toContain(String(port));
  });
});

describe('without a list', () => {
  test.each([
    'http://127.0.0.1/',
    'http://127.1/',
    'http://0x7f.1/',
    'http://2130706433/',
    'http://0177.0.0.1/',
    'http://0/',
    'http://localhost/',
    'http://localhost./',
    'http://LOCALHOST/',
    'http://[::]/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::127.0.0.1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[2002:7f00:1::]/',
    'http://[fe80::1]/',
    'http://[ff02::1]/',
    'http://169.254.169.254/latest/meta-data/',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
  ])('%s is refused', async (url) => {
    const before = requests.length;
    const { port } = new URL(base);
    const error = await failureOf(downloadTopology(url.replace(/^(http:\/\/[^/]+)/, `$1:${port}`), []));
    expect(error).toMatchObject({ code: 'forbidden-host', errors: [{ field: 'topologyUrl' }] });
    expect(error.message).toContain('LAB_API_TOPOLOGY_HOSTS');
    expect(requests).toHaveLength(before);
  });

  test.each([
    'ftp://x.example/a',
    'file:///etc/passwd',
    'data:,x',
    'topology.yml',
    '',
    'http://',
    'http://a:b@x.example/',
    'http://a@x.example/',
    'http://:b@x.example/',
  ])('%p is no URL to use', async (url) => {
    expect(await failureOf(downloadTopology(url, []))).toMatchObject({
      code: 'invalid-request',
      errors: [{ field: 'topologyUrl' }],
    });
  });
});

/** Those of every interface; on a machine without a network that is loopback alone. */
const own = Object.values(os.networkInterfaces()).flatMap((addresses) => addresses ?? []);

test.each(own.map(({ address, family }) => [address, family]))(
  'the address %s of this machine is forbidden, whatever it is written like',
  async (address, family) => {
    const host = family === 'IPv4' ? address : `[${address.split('%')[0]}]`;
    const mapped = family === 'IPv4' ? [`[::ffff:${address}]`, `[64:ff9b::${address}]`] : [];
    for (const written of [host, ...mapped]) {
      expect(await failureOf(downloadTopology(`http://${written}:1/x`, []))).toMatchObject({
        code: 'forbidden-host',
      });
    }
  },
);

describe('a name with several addresses', () => {
  const port = (): string => new URL(base).port;
  const named = (...addresses: readonly string[]) => ({
    asked: [] as string[],
    async lookupAll(host: string) {
      this.asked.push(host);
      return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    },
  });

  test.each([
    [['192.0.2.1', '127.0.0.1']],
    [['127.0.0.1', '192.0.2.1']],
    [['2001:db8::1', '::1']],
    [['192.0.2.1', '::ffff:169.254.169.254']],
  ])('is refused when one of them is forbidden: %j', async (addresses) => {
    const before = requests.length;
    const dns = named(...addresses);
    const download = downloadTopology(`http://lab.example:${port()}/topology.yml`, [], async (host) =>
      dns.lookupAll(host),
    );
    expect(await failureOf(download)).toMatchObject({ code: 'forbidden-host' });
    expect(dns.asked).toEqual(['lab.example']);
    expect(requests).toHaveLength(before);
  });

  test('is asked for once, and the connection goes to an answer that was checked', async () => {
    const dns = named('127.0.0.1');
    const url = `http://lab.example:${port()}/topology.yml`;
    expect(await downloadTopology(url, ['lab.example'], async (host) => dns.lookupAll(host))).toContain(
      'nodes',
    );
    expect(dns.asked).toEqual(['lab.example']);
  });
});
