/** Many sessions over SSH, and clients that read slowly or go away, with programs in place of netlab and Docker. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Client, ClientChannel } from 'ssh2';
import { processesWith } from '../support/environments.ts';
import { eventually } from '../support/eventually.ts';
import { makeNodeGround } from '../support/node-ground.ts';
import { startService, type RunningService } from '../support/service.ts';
import { sshInfoOf } from '../support/ssh.ts';
import { openChannel, sshClient, sshExec } from '../support/ssh-client.ts';

const { ground, env } = makeNodeGround();
let service: RunningService;
let port: number;
beforeAll(async () => {
  const limits = { LAB_API_MAX_NODE_SESSIONS: '256', LAB_API_MAX_TERMINALS: '256' };
  service = await startService({ ground, env: { ...env, ...limits, LAB_API_SSH_PORT: '0' } });
  ({ port } = await sshInfoOf(service));
});
afterAll(async () => service.stop());

const connect = async () => sshClient(port, { username: 'r1.default' });
const inNode = (): number[] => processesWith('CONTAINER=clab-demo-r1');
const nothingIsLeft = async () => eventually('nothing is left in the node', () => inNode().length === 0);

/** Whether there is much to read and no more of it comes, at the second look. */
function isStill(...streams: readonly Readable[]): () => boolean {
  let seen = -1;
  return () => {
    const now = streams.reduce((sum, { readableLength }) => sum + readableLength, 0);
    const isSame = now === seen && now > streams.length * 1024 * 1024;
    seen = now;
    return isSame;
  };
}

/** The first piece of output. */
async function heard(channel: ClientChannel): Promise<string> {
  const [bytes] = (await once(channel, 'data')) as [Buffer];
  return bytes.toString();
}

/** The parts of ssh2 below its client, for what that would not do. */
interface Wire {
  readonly socket: Socket;
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
    ['_sock']: Socket;
    ['_protocol']: Wire['protocol'] & { ['_handlers']: Wire['handlers'] };
  };
  return { socket, protocol, handlers: protocol['_handlers'] };
}

const idAtService = (channel: ClientChannel): number =>
  (channel as unknown as { readonly outgoing: { readonly id: number } }).outgoing.id;

describe('a command in a container', () => {
  test('has its streams and its exit code', async () => {
    const client = await connect();
    expect(await sshExec(client, 'echo "in $CONTAINER"; echo wrong >&2; exit 9')).toEqual({
      code: 9,
      out: 'in clab-demo-r1\n',
      said: 'wrong\n',
    });
    client.end();
    await nothingIsLeft();
  });

  test('gets signals', async () => {
    const client = await connect();
    const channel = await openChannel(
      client,
      'trap "echo got USR1; exit 3" USR1; echo on; while :; do sleep 0.1; done',
    );
    const closed = once(channel, 'close');
    let out = '';
    channel.on('data', (bytes: Buffer) => (out += bytes.toString()));
    await eventually('it waits for the signal', () => out === 'on\n');
    channel.signal('USR1');
    const [code] = (await closed) as [number];
    expect([code, out]).toEqual([3, 'on\ngot USR1\n']);
    client.end();
    await nothingIsLeft();
  });

  test('that cannot be reached is refused with the reason', async () => {
    const client = await sshClient(port, { username: 'vm.default' });
    expect(await sshExec(client, 'true')).toMatchObject({
      code: 255,
      said: expect.stringContaining('vm is no container'),
    });
    client.end();
  });

  test('writes both streams in turns to a client that reads slowly, and each byte once', async () => {
    const client = await connect();
    const channel = await openChannel(
      client,
      'for i in 1 2; do head -c 9000000 /dev/zero; head -c 9000000 /dev/zero >&2; done',
    );
    let [out, said] = [0, 0];
    await eventually('its output waits for the client', isStill(channel));
    channel.on('data', (bytes: Buffer) => (out += bytes.length));
    await eventually('its errors wait for the client', isStill(channel.stderr));
    const closed = once(channel, 'close');
    channel.stderr.on('data', (bytes: Buffer) => (said += bytes.length));
    const [code] = (await closed) as [number];
    expect([code, out, said]).toEqual([0, 18_000_000, 18_000_000]);
    client.end();
  });
});

test('a terminal where nothing happens is closed, and not one that prints', async () => {
  const idle = makeNodeGround();
  const brief = { LAB_API_SSH_PORT: '0', LAB_API_TERMINAL_IDLE: '3s' };
  const other = await startService({ ground: idle.ground, env: { ...idle.env, ...brief } });
  const client = await sshClient((await sshInfoOf(other)).port, { username: 'r1.default' });
  const open = async (command: string) =>
    new Promise<ClientChannel>((resolve, reject) =>
      client.exec(command, { pty: true }, (error, channel) => (error ? reject(error) : resolve(channel))),
    );
  const busy = await open('while :; do echo on; sleep 0.1; done');
  busy.resume();
  const silent = await open('sleep 1000');
  expect(await text(silent)).toBe('\r\nlab-api: nothing was typed or printed for long\r\n');
  // It has been open for longer.
  expect(await heard(busy)).toContain('on\r\n');
  client.end();
  await other.stop();
});

test('terminals one after the other need one place', async () => {
  const own = makeNodeGround();
  const limits = { LAB_API_SSH_PORT: '0', LAB_API_MAX_TERMINALS: '1' };
  const other = await startService({ ground: own.ground, env: { ...own.env, ...limits } });
  const client = await sshClient((await sshInfoOf(other)).port, { username: 'r1.default' });
  const said = async () =>
    new Promise<string>((resolve, reject) =>
      client.exec('echo on', { pty: true }, (error, channel) =>
        error ? reject(error) : resolve(text(channel)),
      ),
    );
  for (let times = 0; times < 5; times += 1) expect(await said()).toBe('on\r\n');
  client.end();
  await other.stop();
});

describe('a client that stays when it should have gone', () => {
  const noConnection = async () =>
    eventually('no connection is left', async () =>
      (await service.get('/metrics')).text.includes('lab_api_ssh_connections 0'),
    );

  test.each([
    ['has said goodbye', (wire: Wire) => wire.protocol.disconnect(11)],
    ['sends garbage', (wire: Wire) => wire.socket.write(Buffer.alloc(64 * 1024, 1))],
  ])('is cut off with its command: it %s', async (_what, misbehave) => {
    const client = await connect();
    expect(await heard(await openChannel(client, 'echo on; sleep 1000'))).toBe('on\n');
    const wire = wireOf(client);
    // It keeps its half, whatever comes.
    wire.socket.removeAllListeners('end');
    wire.socket.allowHalfOpen = true;
    misbehave(wire);
    await nothingIsLeft();
    await noConnection();
    wire.socket.destroy();
  });

  test('is cut off at once when it sends more than a command takes', async () => {
    const client = await connect();
    const channel = await openChannel(client, 'echo on; sleep 1000');
    expect(await heard(channel)).toBe('on\n');
    const { protocol, socket } = wireOf(client);
    // It is reset: `once` would take that for a failure.
    const closed = new Promise((resolve) => socket.once('close', resolve));
    // Beyond the window of the channel, and not to its very end: ssh2 would drop the rest.
    for (let sent = 0; sent < 300; sent += 1)
      protocol.channelData(idAtService(channel), Buffer.alloc(30_000));
    await closed;
    await nothingIsLeft();
  });
});

test('sessions in which nothing ran are closed for both sides', async () => {
  const client = await connect();
  const { protocol, handlers } = wireOf(client);
  let closed = 0;
  handlers['CHANNEL_OPEN_CONFIRMATION'] = (_protocol, info) =>
    protocol.channelClose((info as { sender: number }).sender);
  handlers['CHANNEL_CLOSE'] = () => void (closed += 1);
  for (let opened = 0; opened < 20; opened += 1) protocol.session(1_000 + opened, 1_000_000, 32_768);
  await eventually('each was closed', () => closed === 20);
  client.destroy();
});

describe('many clients', () => {
  const many = 200;

  test('have a session each at once, and leave nothing', async () => {
    const clients: Client[] = [];
    const echo = async () => {
      const client = await connect();
      clients.push(client);
      const channel = await openChannel(client, 'cat');
      channel.write('hello\n');
      expect(await heard(channel)).toBe('hello\n');
    };
    // The service takes a few clients of an address at a time that have not logged in.
    for (let begun = 0; begun < many; begun += 10) await Promise.all(Array.from({ length: 10 }, echo));
    expect((await service.get('/metrics')).text).toContain(`lab_api_ssh_connections ${many}`);
    for (const client of clients) client.destroy();
    await nothingIsLeft();
    await eventually('no connection is left', async () =>
      (await service.get('/metrics')).text.includes('lab_api_ssh_connections 0'),
    );
  });

  test('that do not read make no memory grow, and go on when they read', async () => {
    const clients = await Promise.all(Array.from({ length: 8 }, connect));
    const channels = await Promise.all(
      clients.map(async (client) => openChannel(client, 'head -c 100000000 /dev/zero; echo end')),
    );
    const before = process.memoryUsage().rss;
    // The commands stop when the service and the pipes keep as much as they may.
    for (const channel of channels) channel.pause();
    const waiting = () => inNode().length;
    await eventually('all run', () => waiting() >= 8);
    await eventually('nothing moves any more', isStill(...channels));
    // Eight clients keep 2 MiB each; 800 MB were to come.
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
    const sizes = await Promise.all(
      channels.map(async (channel) => {
        let size = 0;
        channel.on('data', (bytes: Buffer) => (size += bytes.length));
        channel.resume();
        await once(channel, 'close');
        return size;
      }),
    );
    expect(sizes).toEqual(channels.map(() => 100_000_004));
    for (const client of clients) client.end();
    await nothingIsLeft();
  });
});
