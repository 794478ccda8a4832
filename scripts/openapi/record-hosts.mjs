/** Examples of the answers of a service that is a host of a cluster. Needs `redis-server`. */
import path from 'node:path';
import { freePort } from '../lib/free-port.mjs';
import { RedisMachine } from '../lib/redis.mjs';
import { startService } from '../lib/service.mjs';

/**
 * A cluster of one host, whose Redis can be stopped.
 *
 * @param {string} ground
 * @param {NodeJS.ProcessEnv} env of a service that works alone
 */
export async function startOneHost(ground, env) {
  const place = { bind: '127.0.0.1', port: await freePort(), within: [] };
  const redis = new RedisMachine(place, path.join(ground, 'redis'));
  redis.start();
  await redis.answers();
  const { url, end } = await startService({
    env: {
      ...env,
      LAB_API_DATA_DIR: path.join(ground, 'host'),
      LAB_API_REDIS_URL: redis.url,
      LAB_API_CLUSTER_SECRET: 'a secret that only examples know of',
      LAB_API_HOST_NAME: 'lab1',
      LAB_API_HOST_LABELS: 'kvm,large',
      LAB_API_MAX_RUNNING_JOBS: '8',
    },
  });
  return {
    url,
    stopRedis: async () => redis.kill(),
    end: async () => {
      await end();
      await redis.end();
    },
  };
}

/**
 * @param {{ ask: (call: string, options?: { as?: string, body?: unknown }) => Promise<unknown> }} recorder
 * @param {{ stopRedis: () => Promise<void> }} cluster
 */
export async function recordHosts(recorder, { stopRedis }) {
  await recorder.ask('GET /hosts', { as: 'listHosts' });
  await recorder.ask('GET /hosts/lab1', { as: 'getHost' });
  await recorder.ask('GET /hosts/lab9');
  await recorder.ask('POST /hosts/lab1/drain', { as: 'drainHost', body: { drain: true } });
  await recorder.ask('POST /jobs', { body: { action: 'up', workdir: '/labs/new', host: 'lab1' } });
  await stopRedis();
  await recorder.ask('GET /jobs/job-1768469400000-000000');
}
