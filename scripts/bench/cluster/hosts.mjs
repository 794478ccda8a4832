// Redis, services and simulated hosts as processes.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { freePort } from '../../lib/free-port.mjs';
import { call } from '../../lib/http.mjs';
import { plainEnvironment } from '../../lib/service.mjs';
import { RedisMachine } from '../../lib/redis.mjs';
import { tries } from '../../lib/wait.mjs';
import { say } from '../../lib/words.mjs';
import { atEnd, root, start } from '../kit.mjs';

/** @typedef {Awaited<ReturnType<typeof start>> & { name: string }} Service */
/** @typedef {{ child: import('node:child_process').ChildProcess }} Simulated */

const secret = 'only this benchmark knows it, and that for a minute';

async function startRedis() {
  const place = { bind: '127.0.0.1', port: await freePort(), within: [] };
  const redis = new RedisMachine(place, path.join(root, 'redis'));
  atEnd(async () => redis.end());
  redis.start();
  await redis.answers();
  return redis;
}

/** A lab CLI that ends at once. */
function makeCli() {
  const file = path.join(root, 'lab-cli');
  writeFileSync(file, '#!/bin/sh\nexit 0\n');
  chmodSync(file, 0o755);
  return file;
}

/** @param {string} name @param {string} redisUrl @returns {Promise<Service>} */
async function startOne(name, redisUrl) {
  const inside = (/** @type {string} */ part) => path.join(root, `${name}-${part}`);
  const settings = {
    HOME: inside('home'),
    LAB_HOME: inside('home'),
    LAB_API_CLI: makeCli(),
    LAB_API_DATA_DIR: inside('data'),
    LAB_API_WORKSPACES_DIR: inside('workspaces'),
    LAB_API_REDIS_URL: redisUrl,
    LAB_API_CLUSTER_SECRET: secret,
    LAB_API_HOST_NAME: name,
  };
  return { ...(await start(settings, { isDetached: true })), name };
}

/** @param {string} name @param {string} redisUrl @returns {Simulated} */
function simulateOne(name, redisUrl) {
  const directory = path.join(root, name);
  mkdirSync(directory);
  const child = fork(
    path.join(import.meta.dirname, 'simulated-host.mjs'),
    [redisUrl, secret, directory, name],
    {
      env: plainEnvironment(),
      detached: true,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    },
  );
  atEnd(() => child.kill('SIGKILL'));
  return { child };
}

/** @param {Simulated} host @returns {Promise<{ jobs: number, delays: number[] }>} */
async function ask({ child }) {
  child.send('report');
  const [report] = await once(child, 'message');
  return report;
}

/** The jobs that each host has taken, and how long each job was on its way. @param {readonly Simulated[]} hosts */
export const answersOf = async (hosts) => Promise.all(hosts.map(ask));

/** @param {{ services: number, simulated: number }} counts */
export async function startCluster(counts) {
  const redis = await startRedis();
  /** @type {Service[]} */
  const services = [];
  for (let at = 1; at <= counts.services; at += 1) services.push(await startOne(`service-${at}`, redis.url));
  const simulated = Array.from({ length: counts.simulated }, (_, at) =>
    simulateOne(`simulated-${at + 1}`, redis.url),
  );
  const all = counts.services + counts.simulated;
  say(`waiting for ${all} hosts`);
  for (const { url } of services)
    await tries(
      'all hosts are up',
      async () => {
        const { hosts } = await call(`${url}/hosts`);
        return hosts.filter((/** @type {{ state: string }} */ { state }) => state === 'up').length === all;
      },
      120,
    );
  return { services, simulated, redis: redis.client };
}
