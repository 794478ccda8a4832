// Redis, services and simulated hosts as processes, in one temporary directory.
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from '../lib/free-port.mjs';
import { call } from '../lib/http.mjs';
import { plainEnvironment, startService } from '../lib/service.mjs';
import { temporaryDirectory } from '../lib/temporary-directory.mjs';
import { tries } from '../lib/wait.mjs';
import { say } from '../lib/words.mjs';

/** @typedef {Awaited<ReturnType<typeof startService>> & { name: string }} Service */
/** @typedef {{ child: import('node:child_process').ChildProcess }} Simulated */

const secret = 'only this benchmark knows it, and that for a minute';

/** @param {string} root */
async function startRedis(root) {
  const directory = path.join(root, 'redis');
  mkdirSync(directory);
  const port = await freePort();
  const words = ['--port', String(port), '--bind', '127.0.0.1', '--dir', directory, '--save', ''];
  const child = spawn('redis-server', [...words, '--appendonly', 'yes'], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  const url = `redis://127.0.0.1:${port}/0`;
  const client = new Redis(url, { lazyConnect: true, maxRetriesPerRequest: null });
  client.on('error', () => undefined);
  await tries('redis-server answers', async () => {
    if (client.status === 'wait') await client.connect();
    return (await client.ping()) === 'PONG';
  });
  return { child, client, url };
}

/** A lab CLI that ends at once. @param {string} root */
function makeCli(root) {
  const file = path.join(root, 'lab-cli');
  writeFileSync(file, '#!/bin/sh\nexit 0\n');
  chmodSync(file, 0o755);
  return file;
}

/** @param {string} root @param {string} name @param {string} redisUrl @returns {Promise<Service>} */
async function startOne(root, name, redisUrl) {
  const inside = (/** @type {string} */ part) => path.join(root, `${name}-${part}`);
  const service = await startService({
    isDetached: true,
    env: {
      ...plainEnvironment(),
      HOME: inside('home'),
      LAB_HOME: inside('home'),
      LAB_API_CLI: makeCli(root),
      LAB_API_DATA_DIR: inside('data'),
      LAB_API_WORKSPACES_DIR: inside('workspaces'),
      LAB_API_REDIS_URL: redisUrl,
      LAB_API_CLUSTER_SECRET: secret,
      LAB_API_HOST_NAME: name,
    },
  });
  return { ...service, name };
}

/** @param {string} root @param {string} name @param {string} redisUrl @returns {Simulated} */
function simulateOne(root, name, redisUrl) {
  const directory = path.join(root, name);
  mkdirSync(directory);
  const words = [redisUrl, secret, directory, name];
  const file = path.join(import.meta.dirname, 'simulated-host.mjs');
  return {
    child: fork(file, words, {
      env: plainEnvironment(),
      detached: true,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    }),
  };
}

/** @param {Simulated} host @returns {Promise<{ jobs: number, delays: number[] }>} */
async function ask({ child }) {
  child.send('report');
  const [report] = await once(child, 'message');
  return report;
}

/** What each has taken, and how long each job was on its way. @param {readonly Simulated[]} hosts */
export const answersOf = async (hosts) => Promise.all(hosts.map(ask));

/** @param {{ services: number, simulated: number }} counts */
export async function startCluster(counts) {
  const root = temporaryDirectory('lab-api-bench-cluster');
  const redis = await startRedis(root);
  /** @type {Service[]} */
  const services = [];
  /** @type {Simulated[]} */
  const simulated = [];
  const end = async () => {
    for (const { child } of simulated) child.kill('SIGKILL');
    await Promise.all(services.map((service) => service.end('SIGKILL')));
    redis.client.disconnect();
    redis.child.kill('SIGKILL');
  };
  try {
    for (let at = 1; at <= counts.services; at += 1)
      services.push(await startOne(root, `service-${at}`, redis.url));
    for (let at = 1; at <= counts.simulated; at += 1)
      simulated.push(simulateOne(root, `simulated-${at}`, redis.url));
    const all = counts.services + counts.simulated;
    say(`waiting for ${all} hosts`);
    for (const { url } of services)
      await tries(
        'all hosts are seen',
        async () =>
          (await call(`${url}/hosts`)).hosts.filter((/** @type {any} */ host) => host.state === 'up')
            .length === all,
        120,
      );
  } catch (error) {
    await end();
    throw error;
  }
  return { services, simulated, redis: redis.client, end };
}
