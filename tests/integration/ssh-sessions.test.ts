/** Many sessions over SSH, and clients that read slowly or go away, with programs in place of netlab and Docker. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
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
