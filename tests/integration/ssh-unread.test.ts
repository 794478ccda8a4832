/** As much as the SSH gateway keeps of what its clients, or the programs in nodes, do not read. Programs stand in place of netlab and Docker. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Client, ClientChannel } from 'ssh2';
import { maxChannels, windowBytes } from '../../src/ssh/limits.ts';
import { processesWith } from '../support/environments.ts';
import { eventually } from '../support/eventually.ts';
import { makeNodeGround } from '../support/node-ground.ts';
import { startService, type RunningService } from '../support/service.ts';
import { sshInfoOf } from '../support/ssh.ts';
import { openChannel, sshClient } from '../support/ssh-client.ts';

const { ground, env } = makeNodeGround();
let service: RunningService;
let port: number;
beforeAll(async () => {
  service = await startService({
    ground,
    env: { ...env, LAB_API_MAX_NODE_SESSIONS: '256', LAB_API_SSH_PORT: '0' },
  });
  ({ port } = await sshInfoOf(service));
});
afterAll(async () => service.stop());

const connect = async () => sshClient(port, { username: 'r1.default' });
const socketOf = (client: Client): Socket => (client as unknown as { readonly ['_sock']: Socket })['_sock'];
const inNode = (): number[] => processesWith('CONTAINER=clab-demo-r1');
const nothingIsLeft = async () => eventually('nothing is left in the node', () => inNode().length === 0);
const openMany = async (client: Client, command: string, many: number): Promise<ClientChannel[]> =>
  Promise.all(Array.from({ length: many }, async () => openChannel(client, command)));

/** Resolves with the number when it is above `least`, and the same at three looks in turn. */
async function still(what: string, least: number, look: () => number): Promise<number> {
  let seen: number[] = [];
  await eventually(`${what} stops`, () => {
    seen = [...seen.slice(-2), look()];
    return seen.length === 3 && seen.every((one) => one > least && one === seen[0]);
  });
  return seen[0] ?? 0;
}

test('a client sends no more than the windows of its channels to programs that do not read', async () => {
  const client = await connect();
  const stuck = await openMany(client, 'sleep 1000', maxChannels - 1);
  for (const channel of stuck) channel.write(Buffer.alloc(10_000_000));
  const sent = await still('the client', stuck.length * windowBytes, () => socketOf(client).bytesWritten);
  // The rest is in the kernel, between the service and the program.
  expect(sent).toBeLessThan(stuck.length * 1024 * 1024);
  // The last channel has its own.
  const cat = await openChannel(client, 'cat');
  cat.end(Buffer.alloc(3_000_000, 'x'));
  expect(await text(cat)).toHaveLength(3_000_000);
  client.end();
  await nothingIsLeft();
});

test.each([1, 32_768, windowBytes - 1, windowBytes, windowBytes + 1, 5_000_000])(
  'a program that begins late reads all %d bytes, and another that reads bit by bit, too',
  async (size) => {
    const client = await connect();
    const said = await Promise.all(
      ['sleep 0.2; wc -c', 'dd bs=7777 status=none | wc -c'].map(async (command) => {
        const channel = await openChannel(client, command);
        channel.end(Buffer.alloc(size));
        return text(channel);
      }),
    );
    expect(said.map(Number)).toEqual([size, size]);
    client.end();
  },
);

test('programs write no more than a few pieces each to a client that reads nothing', async () => {
  const client = await connect();
  const channels = await openMany(client, 'echo on; exec head -c 100000000 /dev/zero', maxChannels);
  await Promise.all(channels.map(async (channel) => once(channel, 'data')));
  socketOf(client).pause();
  const heads = () => inNode().filter((pid) => readFileSync(`/proc/${pid}/comm`, 'utf8') === 'head\n');
  await eventually('all write', () => heads().length === maxChannels);
  const written = () =>
    heads().reduce((sum, pid) => {
      const [, bytes] = /^wchar: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8')) ?? [];
      return sum + Number(bytes);
    }, 0);
  const sum = await still('the programs', 0, written);
  expect(sum).toBeLessThan(maxChannels * 1024 * 1024);
  client.destroy();
  await nothingIsLeft();
});
