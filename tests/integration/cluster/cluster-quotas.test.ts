/** Quotas of users whose labs are on several hosts. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { seesHosts, startHost, type ClusterHost } from '../../support/cluster.ts';
import { eventually } from '../../support/eventually.ts';
import { expectProblem } from '../../support/problem.ts';
import { missingRedis, startRedis, type RedisServer } from '../../support/redis.ts';
import { makeGround, topologyThat, type Ground } from '../../support/service.ts';
import { usersFile, usersWithTokens } from '../../support/users-file.ts';

const { users, as } = usersWithTokens({ ann: 'admin', sue: 'operator', sam: 'operator' });
const quotas = { each: { labs: 3 }, together: { labs: 4 } };
const groups = [{ name: 'course', members: ['sue', 'sam'], quotas }];

const name = missingRedis === undefined ? 'a cluster' : `a cluster (skipped: ${missingRedis})`;

(missingRedis === undefined ? describe : describe.skip)(name, () => {
  let redis: RedisServer;
  let [one, two]: ClusterHost[] = [];
  const grounds: readonly Ground[] = [makeGround(), makeGround()];
  const hosts = (): readonly ClusterHost[] => [one!, two!];

  const start = async (host: string, ground: Ground): Promise<ClusterHost> => {
    const file = usersFile(ground.root, JSON.stringify({ users, groups }));
    const env = { LAB_API_USERS_FILE: file, FAKE_LAB_LOGS: '1', LAB_API_STATUS_MAX_AGE: '1ms' };
    return startHost(redis, host, { ground, env });
  };
  const up = async (user: string, host: string) => {
    const body = { action: 'up', workspace: 'auto', multilabId: 'auto', topology: topologyThat(), host };
    const asked = host === 'one' ? two! : one!;
    const reply = await asked.post('/jobs', body, as(user));
    return { ...reply, asked };
  };
  const usedBy = async (host: ClusterHost, user: string) => {
    const { json } = await host.get('/quotas', as(user));
    const labs = (json.quotas as { kind: string; resource: string; used: number }[]).filter(
      ({ resource }) => resource === 'labs',
    );
    return labs.map(({ kind, used }) => [kind, used]);
  };

  beforeAll(async () => {
    redis = await startRedis();
    [one, two] = [await start('one', grounds[0]!), await start('two', grounds[1]!)];
    const headers = as('ann');
    const seen = { get: async (target: string) => one!.get(target, headers) };
    await seesHosts(seen, { one: 'up', two: 'up' });
  });

  test('never has more than the limit, however many ask at once on all hosts', async () => {
    const asked = Array.from({ length: 12 }, async (_, at) => up('sue', at % 2 === 0 ? 'one' : 'two'));
    const replies = await Promise.all(asked);
    const accepted = replies.filter(({ status }) => status === 202);
    expect(accepted.length).toBe(3);
    for (const reply of replies.filter(({ status }) => status !== 202))
      expectProblem(reply, 403, 'over-quota');
    for (const { json, asked: host } of accepted)
      expect((await host.get(`/jobs/${json.id}?wait=60`, as('sue'))).json.state).toBe('success');
    for (const host of hosts())
      expect(await usedBy(host, 'sue')).toEqual([
        ['user', 3],
        ['group', 3],
      ]);
  });

  test('counts the labs of a group on all hosts, and those of a host that is away', async () => {
    const first = await up('sam', 'one');
    expect(first.status).toBe(202);
    await first.asked.get(`/jobs/${first.json.id}?wait=60`, as('sam'));
    expectProblem(await up('sam', 'two'), 403, 'over-quota');
    await one!.stop();
    const request = async () =>
      two!.post(
        '/jobs',
        { action: 'up', workspace: 'auto', topology: topologyThat(), host: 'two' },
        as('sam'),
      );
    const refused = await request();
    expectProblem(refused, 403, 'over-quota');
    expect(refused.json.detail).toContain('the quota of the group course is 4 labs: 4 used');
    one = await start('one', grounds[0]!);
    await eventually('the cluster is whole', async () => {
      const { status } = await one!.get('/quotas', as('sam'));
      return status === 200 ? true : undefined;
    });
    expectProblem(await request(), 403, 'over-quota');
  });

  test('has room again when a lab on another host is down', async () => {
    const { json } = await one!.get('/labs', as('sam'));
    const lab = (json.labs as { owner: string; workdir: string; host: string }[]).find(
      ({ owner }) => owner === 'sam',
    );
    expect(lab?.host).toBe('one');
    const down = await one!.post('/jobs', { action: 'down', workdir: lab?.workdir, host: 'one' }, as('sam'));
    expect((await one!.get(`/jobs/${down.json.id}?wait=60`, as('sam'))).json.state).toBe('success');
    await eventually('room', async () => ((await up('sam', 'two')).status === 202 ? true : undefined));
    expectProblem(await up('sam', 'one'), 403, 'over-quota');
  });

  test('refuses what it cannot count, when Redis is away', async () => {
    await redis.stop();
    const reply = await eventually('Redis is away', async () => {
      const refused = await two!.post(
        '/jobs',
        { action: 'up', workspace: 'auto', topology: topologyThat() },
        as('sue'),
      );
      return refused.json.code === 'cluster-unavailable' ? refused : undefined;
    });
    expectProblem(reply, 503, 'cluster-unavailable');
    // It has lost everything, and the hosts tell it again before a job is taken.
    await redis.start();
    const counted = await eventually('the labs are counted again', async () => {
      const answer = await up('sue', 'two');
      return answer.status === 503 ? undefined : answer;
    });
    expectProblem(counted, 403, 'over-quota');
  });
});
