/** A real Redis server for a test file, on a port of its own. */
import { afterAll } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { requirement } from './requirements.ts';

/** Why there can be none here; undefined when there can. */
export const missingRedis = requirement('redis-server').missing;

export interface RedisServer {
  readonly url: string;
  /** A connection for the test itself. */
  readonly client: Redis;
  stop: () => Promise<void>;
  /** On the same port. Without `keepData`, it has forgotten all. */
  start: () => Promise<void>;
}

const stops: (() => Promise<void>)[] = [];
afterAll(async () => {
  await Promise.all(stops.map(async (stop) => stop()));
});

export async function startRedis(): Promise<RedisServer> {
  const port = await freePort();
  const directory = mkdtempSync(path.join(os.tmpdir(), 'lab-api-redis-'));
  const password = 'redis-password';
  const url = `redis://:${password}@127.0.0.1:${port}/0`;
  const client = new Redis(url, { lazyConnect: true, maxRetriesPerRequest: null });
  client.on('error', () => undefined);
  let child: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    // Nothing is kept on disk: whoever starts it again has lost its data.
    const options = {
      port,
      dir: directory,
      requirepass: password,
      save: '',
      appendonly: 'no',
      'maxmemory-policy': 'noeviction',
    };
    const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
    child = spawn('redis-server', [...args, '--bind', '127.0.0.1'], { stdio: 'ignore' });
    await eventually('Redis answers', async () => {
      if (client.status === 'wait') await client.connect();
      return (await client.ping()) === 'PONG' ? true : undefined;
    });
  };
  const stop = async (): Promise<void> => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  stops.push(async () => {
    client.disconnect();
    await stop();
    rmSync(directory, { recursive: true });
  });
  await start();
  return { url, client, start, stop };
}
