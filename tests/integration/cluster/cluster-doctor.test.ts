/** What `lab doctor` says of a cluster. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { checkHosts, checkOwnUrl, checkRedis } from '../../../src/doctor/cluster.ts';
import { clusterEnvironment, startHost, type ClusterHost } from '../../support/cluster.ts';
import { subjectOf } from '../../support/doctor.ts';
import { eventually } from '../../support/eventually.ts';
import { freePort } from '../../support/free-port.ts';
import { missingRedis, startRedis, type RedisServer } from '../../support/redis.ts';

test('a service that works alone has no cluster to look at', async () => {
  const subject = subjectOf({});
  for (const check of [checkRedis, checkHosts, checkOwnUrl])
    expect(await check(subject)).toMatchObject({ kind: 'skipped' });
});

const name = missingRedis === undefined ? 'a host' : `a host (skipped: ${missingRedis})`;

(missingRedis === undefined ? describe : describe.skip)(name, () => {
  let redis: RedisServer;
  let one: ClusterHost;
  beforeAll(async () => {
    redis = await startRedis();
    one = await startHost(redis, 'one');
  });

  /** As the doctor is asked on the machine of that host. */
  const on = (host: ClusterHost | undefined, env: Record<string, string> = {}) =>
    subjectOf({
      ...clusterEnvironment(redis, host?.name ?? 'new'),
      ...(host && { LAB_API_DATA_DIR: host.ground.dataDir }),
      ...env,
    });

  test('that is alone yet is well', async () => {
    const subject = on(one);
    expect(await checkRedis(subject)).toMatchObject({
      kind: 'ok',
      detail: expect.stringMatching(/^Redis \d/),
    });
    expect(await checkHosts(subject)).toEqual({ kind: 'ok', detail: 'no other host yet' });
    expect(await checkOwnUrl(subject)).toEqual({ kind: 'ok', detail: `it answers at ${one.url}` });
  });

  test('has Redis where it says, with that password', async () => {
    const nowhere = on(one, { LAB_API_REDIS_URL: `redis://:a@127.0.0.1:${await freePort()}` });
    expect(await checkRedis(nowhere)).toMatchObject({
      kind: 'failed',
      detail: expect.stringContaining('ECONNREFUSED'),
    });
    expect(await checkHosts(nowhere)).toMatchObject({ kind: 'skipped' });
    const wrong = on(one, { LAB_API_REDIS_URL: redis.url.replace('redis-password', 'wrong') });
    expect(await checkRedis(wrong)).toMatchObject({
      kind: 'failed',
      remedy: expect.stringContaining('password'),
    });
    await redis.client.config('SET', 'maxmemory-policy', 'allkeys-lru');
    expect(await checkRedis(on(one))).toMatchObject({
      kind: 'warning',
      detail: expect.stringContaining('allkeys-lru'),
    });
    await redis.client.config('SET', 'maxmemory-policy', 'noeviction');
  });

  test('has the secret of the others, and a name of its own', async () => {
    const other = on(undefined, { LAB_API_CLUSTER_SECRET: 'another secret of at least 32 characters' });
    expect(await checkHosts(other)).toMatchObject({
      kind: 'failed',
      detail: '1 of 1 hosts have another secret than this one',
    });
    expect(await checkHosts(on(undefined, { LAB_API_HOST_NAME: 'one' }))).toMatchObject({
      kind: 'failed',
      detail: 'another host is called "one"',
    });
    expect(await checkHosts(on(undefined))).toEqual({ kind: 'ok', detail: 'one up' });
    expect(await checkOwnUrl(on(undefined))).toEqual({ kind: 'skipped', detail: 'the service does not run' });
  });

  test('is reached where it says, or the doctor knows who does not reach it', async () => {
    const env = { LAB_API_HOST_URL: one.url };
    const astray = await startHost(redis, 'astray', { env });
    const finding = await eventually('it is told', async () => {
      const found = await checkOwnUrl(on(astray));
      return found.kind === 'failed' ? found : undefined;
    });
    expect(finding).toMatchObject({
      detail: `others do not reach ${one.url}: one: another host answers there, or one with another secret`,
    });
  });
});
