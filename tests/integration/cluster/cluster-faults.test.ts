import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { seesHosts, startHost, type ClusterHost } from '../../support/cluster.ts';
import { eventually } from '../../support/eventually.ts';
import { missingRedis, startRedis, type RedisServer } from '../../support/redis.ts';
import { topologyThat, type RunningService } from '../../support/service.ts';
import { expectProblem } from '../../support/problem.ts';

const name = missingRedis === undefined ? 'a cluster' : `a cluster (skipped: ${missingRedis})`;

(missingRedis === undefined ? describe : describe.skip)(name, () => {
  let redis: RedisServer;
  let [one, two]: ClusterHost[] = [];

  beforeEach(async () => {
    redis = await startRedis();
    one = await startHost(redis, 'one');
    two = await startHost(redis, 'two');
    for (const host of [one, two]) await seesHosts(host, { one: 'up', two: 'up' });
  });
  afterEach(async () => {
    await Promise.all([one?.stop({ cancelJobs: true }), two?.stop({ cancelJobs: true })]);
    await redis.stop();
  });

  const up = async (
    through: RunningService,
    more: Readonly<Record<string, unknown>>,
    ...commands: string[]
  ) =>
    through.post('/jobs', { action: 'up', workspace: 'auto', topology: topologyThat(...commands), ...more });
  const started = async (
    through: RunningService,
    more: Readonly<Record<string, unknown>>,
    ...commands: string[]
  ) => {
    const reply = await up(through, more, ...commands);
    expect(reply.status).toBe(202);
    return String(reply.json.id);
  };

  test('without Redis: each host goes on with what is its own, and says what it cannot reach', async () => {
    const own = await started(one!, { host: 'one' }, 'wait_for redis');
    const other = await started(two!, { host: 'two' });
    await two!.ended(other);
    await one!.ground.waitsFor('redis');
    await redis.stop();
    const workdir = one!.ground.makeWorkdir('new');
    await eventually('the host notices', async () =>
      (await up(one!, { workspace: undefined, workdir })).status === 503 ? true : undefined,
    );
    const anywhere = await up(one!, {});
    expect([anywhere.status, anywhere.json.host]).toEqual([202, 'one']);
    const asked = await one!.get(`/jobs/${other}`);
    expectProblem(asked, 503, 'cluster-unavailable');
    expect(asked.json.detail).toMatch(/: there is no connection to it$/);
    one!.ground.let('redis');
    expect((await one!.ended(own)).state).toBe('success');
    const down = await started(one!, { action: 'down', workspace: own, topology: undefined });
    expect((await one!.ended(down)).state).toBe('success');
    const named = await started(one!, { host: 'one' });
    expect((await one!.ended(named)).state).toBe('success');

    // It comes back, and has forgotten all.
    await redis.start();
    await seesHosts(two!, { one: 'up', two: 'up' });
    for (const id of [own, down, named]) {
      const seen = await eventually(`the other host knows ${id}`, async () => {
        const reply = await two!.get(`/jobs/${id}`);
        return reply.status === 200 ? reply.json : undefined;
      });
      expect(seen).toMatchObject({ id, host: 'one', state: 'success' });
    }
    const again = await up(two!, { workspace: own });
    expect([again.status, again.json.host]).toEqual([202, 'one']);
  });

  test("without Redis: a directory that was cleaned up is nobody's any more", async () => {
    const workdir = two!.ground.makeWorkdir('given-back');
    const here = { workdir, workspace: undefined, host: 'two' };
    await two!.ended(await started(two!, here));
    const down = { ...here, action: 'down', cleanup: true, topology: undefined };
    await two!.ended(await started(two!, down));
    await redis.stop();
    await eventually('the host notices', async () =>
      (await up(two!, { ...here, host: undefined })).status === 503 ? true : undefined,
    );
    expect(two!.ground.runs('up')).toHaveLength(1);
  });

  test('after Redis has lost its data: a key and a directory stay with their host', async () => {
    const workdir = two!.ground.makeWorkdir('kept');
    const create = { action: 'create', workdir, workspace: undefined };
    await two!.ended(await started(one!, { ...create, host: 'two' }));
    const keyed = { action: 'up', workspace: 'auto', topology: topologyThat() };
    const ask = async (host: RunningService) => host.post('/jobs', keyed, { 'Idempotency-Key': 'kept' });
    const first = await ask(one!);
    await redis.stop();
    await redis.start();
    for (const host of [two!, one!]) {
      const again = await eventually('the key is known', async () => {
        const reply = await ask(host);
        expect([202, 503]).toContain(reply.status);
        return reply.status === 202 ? reply.json : undefined;
      });
      expect(again.id).toBe(first.json.id);
      const there = await eventually('the directory is known', async () => {
        const reply = await up(host, create);
        expect([202, 503]).toContain(reply.status);
        return reply.status === 202 ? reply.json : undefined;
      });
      expect(there.host).toBe('two');
    }
  });

  test('with a host away: tells what is known of its jobs, and starts none of them elsewhere', async () => {
    const id = await started(one!, { host: 'two', labels: { team: 'blue' } }, 'wait_for never');
    const waiting = await started(one!, { host: 'two', workspace: id });
    await two!.ground.waitsFor('never');
    const { ground } = two!;
    await two!.stop();
    await seesHosts(one!, { one: 'up', two: 'away' });
    expect((await one!.get(`/jobs/${id}`)).json).toMatchObject({
      id,
      host: 'two',
      state: 'running',
      stale: true,
    });
    const { jobs, missingHosts } = (await one!.get('/jobs?label=team%3Dblue')).json;
    expect(jobs).toMatchObject([{ id, stale: true }]);
    expect(missingHosts).toEqual(['two']);
    expect((await one!.get('/jobs?state=success')).json.jobs).toEqual([]);
    expectProblem(await one!.get(`/jobs/${id}/log`), 503, 'host-unavailable');
    expectProblem(await up(one!, { workspace: id }), 503, 'host-unavailable');
    expectProblem(await up(one!, { host: 'two' }), 503, 'host-unavailable');
    const elsewhere = await up(one!, {});
    expect([elsewhere.status, elsewhere.json.host]).toEqual([202, 'one']);
    // The wish is kept for the host.
    const cancel = await one!.post(`/jobs/${waiting}/cancel`);
    expect([cancel.status, cancel.json.stale]).toEqual([202, true]);

    two = await startHost(redis, 'two', { ground });
    await seesHosts(one!, { two: 'up' });
    expect((await one!.ended(waiting)).state).toBe('canceled');
    expect((await one!.job(id)).stale).toBeUndefined();
    two.ground.let('never');
    expect((await one!.ended(id)).state).toBe('success');
    expect(two.ground.runs('up')).toHaveLength(1);
  });

  test('with a host away: a job that is canceled meanwhile is not started when it comes back', async () => {
    const first = await started(one!, { host: 'two' }, 'wait_for meanwhile');
    const waiting = await started(one!, { host: 'two', workspace: first });
    await two!.ground.waitsFor('meanwhile');
    const { ground } = two!;
    await two!.stop();
    await seesHosts(one!, { one: 'up', two: 'away' });
    expect((await one!.post(`/jobs/${waiting}/cancel`)).status).toBe(202);
    // The way is free for it as soon as the host is there.
    ground.let('meanwhile');
    two = await startHost(redis, 'two', { ground });
    expect(await two.ended(waiting)).toMatchObject({ state: 'canceled', startedAt: null });
    expect((await two.ended(first)).state).toBe('success');
    expect(ground.runs('up')).toHaveLength(1);
  });

  test('forgets a host that will not come back', async () => {
    const id = await started(one!, { host: 'two' });
    await one!.ended(id);
    await two!.stop();
    await seesHosts(one!, { two: 'away' });
    expect((await one!.request('/hosts/two', { method: 'DELETE' })).status).toBe(204);
    expectProblem(await one!.get('/hosts/two'), 404, 'host-not-found');
    expectProblem(await one!.get(`/jobs/${id}`), 404, 'job-not-found');
    const again = await up(one!, { workspace: id });
    expect([again.status, again.json.host]).toEqual([202, 'one']);
  });
});
