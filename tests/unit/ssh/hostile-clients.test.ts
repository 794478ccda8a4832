/** Clients that send what they should not, or stay when they should have gone. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import net from 'node:net';
import type { Client, ClientChannel } from 'ssh2';
import { maxChannels, maxStrangersPerAddress } from '../../../src/ssh/limits.ts';
import { eventually } from '../../support/eventually.ts';
import { GatewayOfTest } from '../../support/ssh-gateway.ts';
import { openChannel, sshClient, sshExec } from '../../support/ssh-client.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const dataDir = temporaryDirectory();
let service: GatewayOfTest;
let port: number;
beforeEach(async () => {
  service = new GatewayOfTest(dataDir);
  port = await service.listen();
});
afterEach(async () => service.gateway.close());

const login = { username: 'r1.demo', password: 'right' };
const isServed = async () => (await sshClient(port, login)).end();
const noConnection = async () => eventually('no connection is left', () => service.open === 0);
const connect = async () => {
  const socket = net.connect({ host: '127.0.0.1', port });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
};

describe('before the login', () => {
  test.each([
    ['garbage', randomBytes(64 * 1024)],
    ['HTTP', Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1_000))],
    ['a version without end', Buffer.alloc(10 * 1024 * 1024, 'x')],
    ['lines without end', Buffer.alloc(10 * 1024 * 1024, 'x\r\n')],
    ['garbage behind its version', Buffer.concat([Buffer.from('SSH-2.0-x\r\n'), randomBytes(256 * 1024)])],
  ])('a client that sends %s is cut off', async (_what, bytes) => {
    const socket = await connect();
    socket.write(bytes);
    socket.resume();
    // It may be reset: `once` would take that for a failure.
    if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
    await isServed();
  });

  test('an address cannot hold more than a few connections', async () => {
    const sockets = await Promise.all(Array.from({ length: maxStrangersPerAddress + 9 }, connect));
    await eventually('those beyond the limit are closed', () => {
      for (const socket of sockets) socket.resume();
      return sockets.filter((socket) => socket.closed).length === 9;
    });
    expect(service.ends).toEqual(Array.from({ length: 9 }, () => 'refused'));
    await expect(sshClient(port, login)).rejects.toThrow();
    for (const socket of sockets) socket.destroy();
    await eventually('there is room again', async () => isServed().then(() => true));
  });
});

/** The parts of ssh2 below its client, for what that would not do. */
interface Wire {
  readonly socket: net.Socket;
  readonly protocol: {
    readonly disconnect: (reason: number) => void;
    readonly session: (id: number, window: number, packetSize: number) => void;
    readonly channelClose: (id: number) => void;
    readonly channelData: (id: number, bytes: Buffer) => void;
  };
  readonly handlers: Record<string, (protocol: unknown, ...parts: unknown[]) => void>;
}

function wireOf(client: Client): Wire {
  const { _sock: socket, _protocol: protocol } = client as unknown as {
    ['_sock']: net.Socket;
    ['_protocol']: Wire['protocol'] & { ['_handlers']: Wire['handlers'] };
  };
  return { socket, protocol, handlers: protocol['_handlers'] };
}

const idAtService = (channel: ClientChannel): number =>
  (channel as unknown as { readonly outgoing: { readonly id: number } }).outgoing.id;

/** A client with a command that does not end by itself. */
async function busy() {
  const client = await sshClient(port, login);
  const channel = await openChannel(client, 'echo on; exec sleep 1000');
  await once(channel, 'data');
  return { client, channel, ...wireOf(client) };
}

test.each([
  ['has said goodbye', ({ protocol }: Wire) => protocol.disconnect(11)],
  ['sends garbage', ({ socket }: Wire) => socket.write(Buffer.alloc(64 * 1024, 1))],
])('a client that %s, and stays, is cut off with its command', async (_what, misbehave) => {
  const wire = await busy();
  // It keeps its half, whatever comes.
  wire.socket.removeAllListeners('end');
  wire.socket.allowHalfOpen = true;
  misbehave(wire);
  await eventually('the command has ended', () => service.node.running === 0);
  await noConnection();
  wire.socket.destroy();
});

test('a client that sends more than a command takes is cut off at once', async () => {
  const { channel, protocol, socket } = await busy();
  // It is reset: `once` would take that for a failure.
  const closed = new Promise((resolve) => socket.once('close', resolve));
  // Beyond the window of the channel, and not to its very end: ssh2 would drop the rest.
  for (let sent = 0; sent < 300; sent += 1) protocol.channelData(idAtService(channel), Buffer.alloc(30_000));
  await closed;
  await eventually('the command has ended', () => service.node.running === 0);
});

test('a client has no more than its channels, and may go on with those', async () => {
  const client = await sshClient(port, { ...login, username: 'r1.none' });
  const opened = await Promise.all(
    Array.from({ length: 1_000 }, async () =>
      openChannel(client, 'true').then(
        (channel) => (channel.resume(), true),
        ({ message }: Error) => message,
      ),
    ),
  );
  expect(opened.filter((one) => one === true).length).toBeGreaterThanOrEqual(maxChannels);
  expect(opened).toContainEqual(expect.stringContaining(`${maxChannels} channels are open already`));
  await eventually('there is room again', async () => (await sshExec(client, 'true')).code === 255);
  client.end();
});

test('sessions in which nothing ran are closed for both sides', async () => {
  const client = await sshClient(port, login);
  const { protocol, handlers } = wireOf(client);
  let closed = 0;
  handlers['CHANNEL_OPEN_CONFIRMATION'] = (_protocol, info) =>
    protocol.channelClose((info as { sender: number }).sender);
  handlers['CHANNEL_CLOSE'] = () => void (closed += 1);
  for (let opened = 0; opened < 20; opened += 1) protocol.session(1_000 + opened, 1_000_000, 32_768);
  await eventually('each was closed', () => closed === 20);
  client.destroy();
});
