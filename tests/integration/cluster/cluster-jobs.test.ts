import { beforeAll, describe, expect, test } from '@jest/globals';
import { seesHosts, startHost, type ClusterHost } from '../../support/cluster.ts';
import { eventually } from '../../support/eventually.ts';
import { missingRedis, startRedis, type RedisServer } from '../../support/redis.ts';
import { topologyThat } from '../../support/service.ts';
import { expectProblem } from '../../support/problem.ts';

const name =
  missingRedis === undefined ? 'jobs of a cluster' : `jobs of a cluster (skipped: ${missingRedis})`;

(missingRedis === undefined ? describe : describe.skip)(name, () => {
  let redis: RedisServer;
  let [one, two, three]: ClusterHost[] = [];
  const all = (): readonly ClusterHost[] => [one, two, three].filter((host) => host !== undefined);

  beforeAll(async () => {
    redis = await startRedis();
    one = await startHost(redis, 'one');
    two = await startHost(redis, 'two', { env: { LAB_API_HOST_LABELS: 'kvm,big' } });
    three = await startHost(redis, 'three');
    for (const host of all()) await seesHosts(host, { one: 'up', two: 'up', three: 'up' });
  });

  test('run on the host that has the label, and are seen through every other one', async () => {
    const body = {
      action: 'up',
      workspace: 'auto',
      topology: topologyThat('echo hello'),
      hostLabels: ['kvm'],
    };
    const accepted = await one!.post('/jobs', body);
    expect([accepted.status, accepted.json.host]).toEqual([202, 'two']);
    const id = String(accepted.json.id);
    expect(accepted.headers['location']).toBe(`/jobs/${id}`);
    for (const host of all()) {
      expect(await host.ended(id)).toMatchObject({ id, host: 'two', state: 'success' });
      expect(await host.logText(id)).toContain('hello');
      expect((await host.get('/jobs')).json.jobs).toEqual(
        expect.arrayContaining([expect.objectContaining({ id })]),
      );
      expect((await host.get('/jobs?host=one')).json.jobs).toEqual([]);
      const range = await host.get(`/jobs/${id}/log?output=text`, { Range: 'bytes=0-3' });
      expect(range.status).toBe(206);
    }
    expect(two!.ground.runs('up')).toHaveLength(1);
    expect(one!.ground.runs('up')).toEqual([]);
  });

  test('of one directory come to one host, whoever is asked', async () => {
    const workdir = one!.ground.makeWorkdir('shared');
    const asked = all().map(async (host) =>
      host.post('/jobs', { action: 'up', workdir, topology: topologyThat() }),
    );
    const hosts = (await Promise.all(asked)).map(({ status, json }) => [status, json.host]);
    const [, first] = hosts[0] ?? [];
    expect(hosts).toEqual([0, 1, 2].map(() => [202, first]));
    const down = await three!.post('/jobs', { action: 'down', workdir, cleanup: true });
    expect(down.json.host).toBe(first);
    expect((await one!.ended(String(down.json.id))).state).toBe('success');
  });

  test('of a directory stay on its host when it is cleaned up before the next of them', async () => {
    const workdir = one!.ground.makeWorkdir('again');
    const ask = async (host: ClusterHost, body: object) =>
      (await host.post('/jobs', { workdir, action: 'up', ...body })).json;
    await ask(one!, { host: 'two', topology: topologyThat('wait_for first') });
    const down = await ask(one!, { action: 'down', cleanup: true });
    await ask(one!, { topology: topologyThat('wait_for second') });
    two!.ground.let('first');
    await two!.ended(String(down.id));
    await two!.ground.waitsFor('second');
    const last = await ask(three!, { action: 'down' });
    expect(last.host).toBe('two');
    two!.ground.let('second');
    await two!.ended(String(last.id));
  });

  test('are refused with what is wrong, in the words of the host', async () => {
    expectProblem(
      await one!.post('/jobs', { action: 'up', workdir: '/no/such', host: 'two' }),
      404,
      'workdir-not-found',
    );
    expectProblem(await one!.post('/jobs', { action: 'up', host: 'nobody' }), 404, 'host-not-found');
    expectProblem(
      await one!.post('/jobs', { action: 'up', workspace: 'auto', hostLabels: ['none'] }),
      400,
      'invalid-request',
    );
    expectProblem(await one!.post('/jobs', { action: 'upp', host: 'two' }), 400, 'invalid-request');
    expectProblem(await two!.get('/jobs/job-1-abcdef'), 404, 'job-not-found');
  });

  test('are made once for a key, through whichever host', async () => {
    const body = { action: 'up', workspace: 'auto', topology: topologyThat() };
    const asked = all().map(async (host) => host.post('/jobs', body, { 'Idempotency-Key': 'once' }));
    const ids = (await Promise.all(asked)).map(({ status, json }) => [status, json.id]);
    expect(new Set(ids.map(String)).size).toBe(1);
  });

  test('keep their key when a request with it is refused', async () => {
    const body = { action: 'up', workspace: 'auto', topology: topologyThat('wait_for key') };
    const ask = async (host: ClusterHost, more: object) =>
      host.post('/jobs', { ...body, ...more }, { 'Idempotency-Key': 'kept' });
    const { id, host: taker } = (await ask(one!, {})).json;
    expectProblem(await ask(two!, { host: taker }), 422, 'idempotency-key-reused');
    for (const host of all()) {
      const again = await ask(host, {});
      expect([again.status, again.json.id]).toEqual([202, id]);
      host.ground.let('key');
    }
    await one!.ended(String(id));
  });

  test('are found by their key when their directory is the directory of another host by now', async () => {
    const workdir = one!.ground.makeWorkdir('moved');
    const ask = async (body: object, headers = {}) =>
      (await three!.post('/jobs', { workdir, topology: topologyThat(), ...body }, headers)).json;
    const body = { action: 'up', host: 'two' };
    const first = await ask(body, { 'Idempotency-Key': 'moved' });
    const down = await ask({ action: 'down', cleanup: true, topology: undefined });
    expect((await three!.ended(String(down.id))).state).toBe('success');
    await eventually('the directory is free', async () => {
      const { host } = await ask({ action: 'up', host: 'one' });
      return host === 'one' ? true : undefined;
    });
    expect(await ask(body, { 'Idempotency-Key': 'moved' })).toMatchObject({ id: first.id, host: 'two' });
  });

  test('are canceled, repeated and removed through another host', async () => {
    const topology = topologyThat('wait_for the-end');
    const { id } = (await one!.post('/jobs', { action: 'up', workspace: 'auto', topology, host: 'three' }))
      .json;
    await three!.ground.waitsFor('the-end');
    const canceled = await two!.post(`/jobs/${String(id)}/cancel`);
    expect([200, 202]).toContain(canceled.status);
    expect((await one!.ended(String(id))).state).toBe('canceled');
    const again = await two!.post(`/jobs/${String(id)}/retry`);
    expect([again.status, again.json.host]).toEqual([202, 'three']);
    three!.ground.let('the-end');
    expect((await two!.ended(String(again.json.id))).state).toBe('success');
    expect((await one!.request(`/jobs/${String(id)}`, { method: 'DELETE' })).status).toBe(204);
    expectProblem(await two!.get(`/jobs/${String(id)}`), 404, 'job-not-found');
  });

  test('are listed in pages over all hosts, each once', async () => {
    const ids = new Set<string>();
    for (let cursor = ''; ;) {
      const { jobs, nextCursor } = (await two!.get(`/jobs?limit=2${cursor}`)).json as {
        jobs: { id: string }[];
        nextCursor: string | null;
      };
      for (const { id } of jobs) {
        expect(ids.has(id)).toBe(false);
        ids.add(id);
      }
      if (nextCursor === null) break;
      cursor = `&cursor=${nextCursor}`;
    }
    const whole = (await one!.get('/jobs?limit=500')).json.jobs as { id: string }[];
    expect([...ids]).toEqual(whole.map(({ id }) => id));
    expect(ids.size).toBeGreaterThan(4);
  });

  test('begin at once where there is room, whatever the hosts that were asked know of it', async () => {
    const env = { LAB_API_HOST_LABELS: 'small', LAB_API_MAX_RUNNING_JOBS: '1' };
    const small = [await startHost(redis, 'x', { env }), await startHost(redis, 'y', { env })];
    for (const host of all()) await seesHosts(host, { x: 'up', y: 'up' });
    const topology = topologyThat('wait_for room');
    const body = { action: 'up', workspace: 'auto', topology, hostLabels: ['small'] };
    // None of them has heard of the jobs of the others yet.
    const replies = await Promise.all(all().map(async (host) => host.post('/jobs', body)));
    for (const host of small) await host.ground.waitsFor('room');
    for (const host of small) host.ground.let('room');
    for (const { json } of replies) expect((await one!.ended(String(json.id))).state).toBe('success');
    expect(replies.map(({ status }) => status)).toEqual([202, 202, 202]);
    expect(new Set(replies.map(({ json }) => json.host))).toEqual(new Set(['x', 'y']));
    await Promise.all(small.map(async (host) => host.stop()));
  });
});
