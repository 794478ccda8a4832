import { once } from 'node:events';
import net from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { frrReady, greetsWithSsh, probeNode } from '../../../../src/labs/ready/probe-node.ts';
import type { ListedNode } from '../../../../src/labs/status/lab-list.ts';
import { AppError } from '../../../../src/lib/app-error.ts';

const servers: net.Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function listening(greeting: string): Promise<number> {
  const server = net.createServer((socket) => {
    socket.on('error', () => undefined);
    if (greeting === '') socket.end();
    else socket.write(greeting);
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as net.AddressInfo).port;
}

const node = (changes: Partial<ListedNode>): ListedNode => ({
  name: 'r1',
  device: 'frr',
  provider: 'clab',
  image: null,
  address: null,
  state: 'up',
  sinceMs: null,
  container: 'clab-ospf-r1',
  ...changes,
});

const watchfrr = 'wanted /usr/lib/frr/watchfrr -d -F traditional zebra mgmtd ospfd staticd';

test.each([
  [`${watchfrr}\nanswering  zebra mgmtd ospfd watchfrr staticd\n`, true, null],
  [`${watchfrr}\nanswering  zebra mgmtd watchfrr staticd\n`, false, 'ospfd of FRR does not answer'],
  [`${watchfrr}\nanswering \n`, false, 'zebra, mgmtd, ospfd, staticd of FRR do not answer'],
  ['', false, 'FRR does not run'],
])('FRR is ready when each daemon that watchfrr starts answers: %j', (output, ready, reason) => {
  expect(frrReady(output, 'frr')).toEqual({ ready, reason });
});

test('a Linux node that has no FRR is ready', () => {
  expect(frrReady('', 'linux')).toEqual({ ready: true, reason: null });
});

test('SSH is there when its server greets, and not only listens', async () => {
  expect(await greetsWithSsh('127.0.0.1', await listening('SSH-2.0-OpenSSH_9.2\r\n'))).toBe(true);
  expect(await greetsWithSsh('127.0.0.1', await listening('HTTP/1.1 400 Bad Request\r\n'))).toBe(false);
  expect(await greetsWithSsh('127.0.0.1', await listening(''))).toBe(false);
  const closed = await listening('SSH-2.0');
  servers.pop()?.close();
  expect(await greetsWithSsh('127.0.0.1', closed)).toBe(false);
});

const fails = (code: 'lab-not-up' | 'lab-cli-failed') => async () =>
  Promise.reject(new AppError(code, 'r1 was not reached: exec: "sh": executable file not found in $PATH'));

test('the health of the container decides where its image has a check', async () => {
  expect(await probeNode(node({}), 'starting', fails('lab-cli-failed'))).toEqual({
    ready: false,
    reason: 'Docker says: starting',
  });
  expect(await probeNode(node({ device: 'ceos' }), 'healthy', fails('lab-cli-failed'))).toMatchObject({
    ready: true,
  });
});

test('a node that gives no answer is not ready, and of one that cannot be asked nothing is known', async () => {
  expect(await probeNode(node({}), undefined, async () => undefined)).toEqual({
    ready: false,
    reason: 'it does not answer',
  });
  expect(await probeNode(node({}), undefined, fails('lab-not-up'))).toMatchObject({ ready: false });
  expect(await probeNode(node({}), undefined, fails('lab-cli-failed'))).toEqual({
    ready: null,
    reason: 'r1 was not reached: exec: "sh": executable file not found in $PATH',
  });
  expect(await probeNode(node({ device: 'ceos' }), undefined, fails('lab-not-up'))).toEqual({
    ready: null,
    reason: 'it has no address to ask',
  });
});
