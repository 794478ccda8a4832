/** What a host of a cluster does not believe, and what it does not let go wrong for all. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { randomUUID } from 'node:crypto';
import { keys } from '../../../src/cluster/keys.ts';
import { Signatures } from '../../../src/cluster/signature.ts';
import { clusterSecret, seesHosts, startHost, type ClusterHost } from '../../support/cluster.ts';
import { eventually } from '../../support/eventually.ts';
import { expectProblem } from '../../support/problem.ts';
import { missingRedis, startRedis, type RedisServer } from '../../support/redis.ts';
import { topologyThat } from '../../support/service.ts';

const name = missingRedis === undefined ? 'a cluster' : `a cluster (skipped: ${missingRedis})`;
const topology = topologyThat();

(missingRedis === undefined ? describe : describe.skip)(name, () => {
  let redis: RedisServer;
  let [one, two]: ClusterHost[] = [];

  beforeAll(async () => {
    redis = await startRedis();
    one = await startHost(redis, 'one');
    two = await startHost(redis, 'two');
    for (const host of [one, two]) await seesHosts(host, { one: 'up', two: 'up' });
  });

  test('gives nobody who did not log in a job on a host where users log in', async () => {
    const env = { LAB_API_USER: 'ann', LAB_API_PASSWORD: 'secret of ann' };
    const closed = await startHost(redis, 'closed', { env });
    await seesHosts(one!, { closed: 'up' });
    const asked = await one!.post('/jobs', { action: 'up', workspace: 'auto', topology, host: 'closed' });
    expectProblem(asked, 401, 'unauthorized');
    expect((await one!.get('/jobs?host=closed')).status).toBe(503);
    expect((await one!.get('/jobs')).json.missingHosts).toEqual(['closed']);
    expect(closed.ground.runs('up')).toEqual([]);
    await closed.stop();
  });

  test('has the name of a host with another secret free as soon as that host is gone', async () => {
    const env = { LAB_API_CLUSTER_SECRET: 'another secret of at least 32 characters' };
    const wrong = await startHost(redis, 'third', { env });
    await expect(startHost(redis, 'third')).rejects.toThrow(
      'another LAB_API_CLUSTER_SECRET is called "third"',
    );
    await wrong.stop();
    const right = await startHost(redis, 'third');
    await seesHosts(one!, { third: 'up' });
    await expect(startHost(redis, 'third')).rejects.toThrow('another host of the cluster is called "third"');
    expect(await redis.client.hlen(keys.hosts)).toBe((await one!.get('/hosts')).json.hosts.length);
    await right.stop();
  });

  test('keeps a directory with the host that has taken a job there, whatever else was refused', async () => {
    const workdir = one!.ground.makeWorkdir('kept');
    const bad = one!.post('/jobs', { action: 'up', workdir, host: 'two', topologyPath: 'no-such.yml' });
    const good = one!.post('/jobs', { action: 'up', workdir, host: 'two', topology });
    expectProblem(await bad, 404, 'topology-not-found');
    const { status, json } = await good;
    expect([status, json.host]).toEqual([202, 'two']);
    await one!.ended(String(json.id));
    expectProblem(
      await one!.post('/jobs', { action: 'up', workdir, host: 'one', topology }),
      409,
      'conflict',
    );
  });

  test('makes nothing of what is no name of a workspace', async () => {
    expectProblem(await one!.request('/workspaces/bad%20name', { method: 'PUT' }), 400, 'invalid-request');
    for (const wrong of ['x%00y', 'a'.repeat(300)])
      expect((await one!.get(`/workspaces/${wrong}`)).status).toBe(404);
    const put = await one!.request('/workspaces/garbage', {
      method: 'PUT',
      headers: { 'Content-Type': 'application/gzip' },
      body: 'no archive',
    });
    expect(put.status).toBe(422);
    await eventually('nobody has it', async () => {
      const bound = await redis.client.hkeys(keys.bindings);
      return !bound.some((field) => /^workspace (bad|garbage|x|aaa)/.test(field));
    });
  });

  /** A host that answers what it likes: one of the cluster whose program is broken, or a proxy in front of it. */
  const impostor = async (answer: string, seenAtMs: number): Promise<{ id: string; server: Server }> => {
    const server = createServer((_request, response) => {
      response.setHeader('Set-Cookie', 'lab_session=evil');
      response.setHeader('Content-Type', 'application/json').end(answer);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { hosts } = (await one!.get('/hosts')).json as { hosts: { id: string }[] };
    const record = await redis.client.hget(keys.hosts, hosts[0]?.id ?? '');
    const known = new Signatures(clusterSecret).verify('host', record ?? '') as object;
    const id = randomUUID();
    const told = {
      ...known,
      id,
      name: 'odd',
      url: `http://127.0.0.1:${port}`,
      run: randomUUID(),
      labs: [],
      seenAtMs,
    };
    await redis.client.hset(keys.hosts, id, new Signatures(clusterSecret).sign('host', told));
    await redis.client.set(keys.lease(id), told.run);
    return { id, server };
  };
  const remove = async ({ id, server }: { id: string; server: Server }): Promise<void> => {
    server.close().closeAllConnections();
    await redis.client.hdel(keys.hosts, id);
    await redis.client.del(keys.lease(id));
    await eventually('it is gone', async () => {
      const { hosts } = (await one!.get('/hosts')).json as { hosts: { id: string }[] };
      return !hosts.some((host) => host.id === id);
    });
  };

  test.each([
    '<html>log in</html>',
    'null',
    '{}',
    '{"jobs":[null],"labs":[null],"workspaces":[null]}',
    '{"jobs":[],"nextCursor":"job-9999999999999-ffffff"}',
  ])('answers for the others when one says %s', async (answer) => {
    const odd = await impostor(answer, Date.now() + 3_600_000);
    await seesHosts(one!, { odd: 'up' });
    for (const path of ['/jobs?cursor=job-9999999999998-ffffff', '/labs', '/workspaces', '/status']) {
      const reply = await one!.get(path);
      expect([path, reply.status]).toEqual([path, 200]);
    }
    expect((await one!.get('/jobs?cursor=job-9999999999998-ffffff')).json.missingHosts).toContain('odd');
    await remove(odd);
  });

  test('brings no host back by a record of old, and passes no cookie of a host on', async () => {
    const old = await impostor('{}', Date.now() - 60_000);
    await seesHosts(one!, { odd: 'away' });
    await remove(old);
    const now = await impostor('{"workspaces":[]}', Date.now() + 3_600_000);
    await seesHosts(one!, { odd: 'up' });
    expect((await one!.get('/workspaces?host=odd')).headers['set-cookie']).toBeUndefined();
    await remove(now);
  });
});

(missingRedis === undefined ? describe : describe.skip)(
  `a host that is started without Redis (${name})`,
  () => {
    test('serves what is its own, and has its name to itself as soon as Redis is there', async () => {
      const redis = await startRedis();
      const first = await startHost(redis, 'same');
      await redis.stop();
      const { ground } = first;
      const made = await first.request('/workspaces/ours', { method: 'PUT' });
      await first.stop();
      const again = await startHost(redis, 'same', { ground });
      expect((await again.get('/hosts')).json.hosts).toMatchObject([
        { name: 'same', state: 'up', isThis: true },
      ]);
      if (made.status === 201) expect((await again.get('/workspaces/ours')).status).toBe(200);
      const up = await again.post('/jobs', { action: 'up', workspace: 'auto', topology, host: 'same' });
      expect(up.status).toBe(202);
      expect((await again.ended(String(up.json.id))).state).toBe('success');
      const other = await startHost(redis, 'same');
      await redis.start();
      await eventually('one of them has the name', async () => {
        const lists = await Promise.all(
          [again, other].map(async (host) => (await host.get('/hosts')).json.hosts as unknown[]),
        );
        return lists.some((hosts) => hosts.length === 1) && (await redis.client.hlen(keys.hosts)) === 1;
      });
    });
  },
);
