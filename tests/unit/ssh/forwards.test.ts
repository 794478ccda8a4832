/** Connections of a client through a node, which begin in this process. */
import { afterEach, expect, test } from '@jest/globals';
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Client, ClientChannel } from 'ssh2';
import { maxChannels } from '../../../src/ssh/limits.ts';
import { eventually } from '../../support/eventually.ts';
import { GatewayOfTest } from '../../support/ssh-gateway.ts';
import { sshClient } from '../../support/ssh-client.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const dataDir = temporaryDirectory();
let service: GatewayOfTest;
let client: Client;
let server: net.Server;
const sockets: net.Socket[] = [];

/** A server that the node reaches, and a client of the gateway. @returns its port */
async function serve(greet: (socket: net.Socket) => void): Promise<number> {
  server = net.createServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket);
    greet(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  service = new GatewayOfTest(dataDir);
  client = await sshClient(await service.listen(), { username: 'r1.demo', password: 'right' });
  return (server.address() as AddressInfo).port;
}
afterEach(async () => {
  client.destroy();
  for (const socket of sockets.splice(0)) socket.destroy();
  server.close();
  await service.gateway.close();
});

const through = async (port: number, host = '127.0.0.1') =>
  new Promise<ClientChannel>((resolve, reject) =>
    client.forwardOut('here', 1, host, port, (error, channel) => (error ? reject(error) : resolve(channel))),
  );

test('each side may end its half, and goes on to read the other one', async () => {
  const port = await serve((socket) => {
    let size = 0;
    socket.on('data', (bytes) => (size += bytes.length)).once('end', () => socket.end(`got ${size}`));
  });
  const channel = await through(port);
  channel.end(Buffer.alloc(3_000_000));
  expect(await text(channel)).toBe('got 3000000');
  await eventually('it is noted', () => service.audit.at(-1)?.event === 'request');
  expect(service.audit.slice(-2)).toEqual([
    expect.objectContaining({ event: 'opened', operation: 'connectFromNode' }),
    expect.objectContaining({ event: 'request', operation: 'connectFromNode', status: 200 }),
  ]);
});

test('the other side may end its half first', async () => {
  let got = 0;
  const port = await serve((socket) => {
    socket.end('bye');
    socket.on('data', (bytes) => (got += bytes.length));
  });
  const channel = await through(port);
  let heard = '';
  await once(
    channel.on('data', (bytes: Buffer) => (heard += bytes.toString())),
    'end',
  );
  expect(heard).toBe('bye');
  channel.end(Buffer.alloc(1_000_000));
  await eventually('all of it is there', () => got === 1_000_000);
});

test('all connections of a client share a program in the node, until that ends', async () => {
  const port = await serve((socket) => socket.end('hello'));
  const heard = async () => text(await through(port));
  expect(await Promise.all([heard(), heard()])).toEqual(['hello', 'hello']);
  expect(service.node.dialers).toBe(1);
  service.node.endDialer();
  expect(await heard()).toBe('hello');
  expect(service.node.dialers).toBe(2);
});

test('one that cannot be made, or is no address, is refused with the reason', async () => {
  const port = await serve(() => undefined);
  server.close();
  await expect(through(port)).rejects.toThrow('ECONNREFUSED');
  for (const [wrong, host] of [
    [0, 'h'],
    [65_536, 'h'],
    [1, ''],
    [1, 'h'.repeat(256)],
    [1, 'a\0b'],
  ] as const)
    await expect(through(wrong, host)).rejects.toThrow(
      'the address of a connection must have a host and a port',
    );
  expect(service.audit.at(-1)).toMatchObject({ status: 400, error: 'invalid-request' });
});

test('it ends with its client, and its client learns that it was reset', async () => {
  const port = await serve((socket) => socket.write('on'));
  const [first, second] = [await through(port), await through(port)];
  await Promise.all([once(first, 'data'), once(second, 'data')]);
  const closed = once(first, 'close');
  sockets[0]!.resetAndDestroy();
  await closed;
  const gone = once(sockets[1]!.resume(), 'end');
  client.destroy();
  await gone;
  await eventually('it is noted', () => service.audit.at(-1)?.aborted === true);
});

test('there are no more of them than channels, and again when one has ended', async () => {
  const port = await serve((socket) => socket.write('on'));
  const channels = await Promise.all(Array.from({ length: maxChannels }, async () => through(port)));
  await expect(through(port)).rejects.toThrow(`${maxChannels} channels are open already`);
  channels[0]!.destroy();
  const again = await eventually('there is room', async () => through(port).catch(() => undefined));
  expect(String((await once(again, 'data'))[0])).toBe('on');
});
