/** Restores of snapshots on a host of a cluster: a name of a workspace is that of one host. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { seesHosts, startHost, type ClusterHost } from '../../support/cluster.ts';
import { expectProblem } from '../../support/problem.ts';
import { missingRedis, startRedis, type RedisServer } from '../../support/redis.ts';
import { topologyThat } from '../../support/service.ts';

const name = missingRedis === undefined ? 'a restore' : `a restore (skipped: ${missingRedis})`;

(missingRedis === undefined ? describe : describe.skip)(name, () => {
  let redis: RedisServer;
  let [one, two]: ClusterHost[] = [];

  const restore = async (body: object) => two!.post('/snapshots/stage/restore?host=one', body);
  const has = (host: ClusterHost, workspace: string): boolean =>
    existsSync(path.join(host.ground.dataDir, 'workspaces', workspace));

  beforeAll(async () => {
    redis = await startRedis();
    const env = { FAKE_LAB_LOGS: 'yes', LAB_API_MAX_TTL: '1h' };
    one = await startHost(redis, 'one', { env });
    two = await startHost(redis, 'two', { env });
    for (const host of [one, two]) await seesHosts(host, { one: 'up', two: 'up' });
    const up = { action: 'up', workspace: 'lab', topology: topologyThat(), host: 'one' };
    await one.ended(String((await one.post('/jobs', up)).json.id));
    expect((await one.post('/labs/default@one/snapshots', { name: 'stage' })).status).toBe(201);
  });

  test('is refused a name that another host has, and binds none of the others', async () => {
    expect((await two!.request('/workspaces/class-2?host=two', { method: 'PUT' })).status).toBe(201);
    const reply = await restore({ workspace: 'class', copies: 3 });
    expectProblem(reply, 409, 'conflict');
    expect(reply.json.detail).toContain('class-2 is on the host two');
    expect(['class-1', 'class-2', 'class-3'].filter((workspace) => has(one!, workspace))).toEqual([]);
    expect((await one!.request('/workspaces/class-1?host=two', { method: 'PUT' })).status).toBe(201);
    expect([has(one!, 'class-1'), has(two!, 'class-1')]).toEqual([false, true]);
  });

  test('binds the name, so that no other host makes one; a refused one frees it', async () => {
    expectProblem(await restore({ workspace: 'late', ttlSeconds: 7_200 }), 400, 'invalid-request');
    expect((await one!.request('/workspaces/late?host=two', { method: 'PUT' })).status).toBe(201);
    const reply = await restore({ workspace: 'again' });
    expect(reply.status).toBe(202);
    expectProblem(await two!.request('/workspaces/again?host=two', { method: 'PUT' }), 409, 'conflict');
    expect([has(one!, 'again'), has(two!, 'again')]).toEqual([true, false]);
    await two!.ended(String(reply.json.labs[0].jobs[0].id));
  });
});
