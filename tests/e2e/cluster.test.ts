/** The built program as a host of a cluster. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { clusterEnvironment, seesHosts } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { missingRedis, startRedis, type RedisServer } from '../support/redis.ts';
import { makeGround, runProgram, startProgram, topologyThat } from '../support/service.ts';

/** Node prints each module that it loads, and where from. */
const tellModules = { NODE_DEBUG: 'esm,module' };
const ofClusters = /node_modules\/(bullmq|ioredis)\//;

test('a service that works alone loads no code of clusters', async () => {
  const alone = await startProgram({ env: tellModules });
  expect(alone.run.output()).toMatch(/dist\/chunks\//);
  expect(alone.run.output()).not.toMatch(ofClusters);
});

const because = missingRedis === undefined ? '' : ` (skipped: ${missingRedis})`;
(missingRedis === undefined ? describe : describe.skip)(`a host of a cluster${because}`, () => {
  let redis: RedisServer;
  const tls = { LAB_API_TLS: 'self-signed' };
  const insecure = { client: { tls: { rejectUnauthorized: false } } };

  beforeAll(async () => {
    redis = await startRedis();
  });

  const startHost = async (name: string, env: Record<string, string> = {}) =>
    startProgram({ env: { ...clusterEnvironment(redis, name), ...env }, ...insecure });
  const lab = async (url: string, ...args: readonly string[]) => {
    const run = runProgram([...args, '--server', url, '--insecure'], { PATH: process.env['PATH'] });
    return { exitCode: await run.exit, output: run.output() };
  };

  test('is known to the others by its key, and by the base path of its own', async () => {
    const plain = await startHost('plain', { LAB_API_BASE_PATH: '/labs-of-plain', ...tellModules });
    expect(plain.run.output()).toMatch(ofClusters);
    const { url: base } = plain;
    expect(base).toMatch(/\/labs-of-plain$/);
    const secure = await startHost('secure', { ...tls, LAB_API_HOST_LABELS: 'kvm', FAKE_LAB_LOGS: 'yes' });
    await seesHosts(secure, { plain: 'up', secure: 'up' });
    const ask = async (target: string, options = {}) => plain.request(target, options);
    await eventually(
      'the other is seen',
      async () => ((await ask('/hosts')).json.hosts as unknown[]).length === 2,
    );
    const body = { action: 'up', workspace: 'auto', topology: topologyThat('echo over TLS') };
    const accepted = await ask('/jobs', { method: 'POST', body: { ...body, host: 'secure' } });
    expect([accepted.status, accepted.json.host]).toEqual([202, 'secure']);
    const id = String(accepted.json.id);
    await secure.ended(id);
    expect((await ask(`/jobs/${id}/log?output=text`)).text).toContain('over TLS');
    const again = await ask(`/jobs/${id}/retry`, { method: 'POST' });
    expect([again.status, again.headers['location']]).toEqual([
      202,
      `/labs-of-plain/jobs/${String(again.json.id)}`,
    ]);
    const there = await secure.post('/jobs', { ...body, host: 'plain' });
    expect([there.status, there.json.host]).toEqual([202, 'plain']);
    expect((await secure.ended(String(there.json.id))).state).toBe('success');

    const labs = await eventually('the labs are known', async () => {
      const { output } = await lab(base, 'labs');
      return output.includes('@secure') ? output : undefined;
    });
    expect(labs).toMatch(/^LAB +NAME +HOST +STATE/m);
    expect(labs).toMatch(/^\S+@secure +\S+ +secure +started /m);
    const jobs = (await lab(base, 'jobs')).output;
    expect(jobs).toMatch(/^ID +HOST +ACTION +STATE/m);
    expect(jobs).toMatch(/^job-\S+ +secure +up +success /m);
    expect(jobs).toMatch(/^job-\S+ +plain +up +success /m);

    const hosts = await lab(base, 'hosts');
    expect(hosts.output).toMatch(/^NAME +STATE +JOBS +WAITING +LABS +LABELS +VERSION +URL$/m);
    expect(hosts.output).toMatch(/^secure +up +\d\/8 .* kvm .* https:/m);
    expect(await lab(base, 'host', 'drain', 'secure')).toEqual({ exitCode: 0, output: 'secure draining\n' });
    expect(await lab(secure.url, 'host', 'drain', 'secure', '--off')).toEqual({
      exitCode: 0,
      output: 'secure up\n',
    });
    expect((await lab(base, 'host', 'forget', 'secure')).output).toContain('answers');
    await secure.end();
    await eventually('it is away', async () => (await lab(base, 'hosts')).output.includes('away'));
    expect(await lab(base, 'host', 'forget', 'secure')).toEqual({
      exitCode: 0,
      output: 'secure is forgotten\n',
    });
    expect(JSON.parse((await lab(base, 'hosts', '-o', 'json')).output)).toMatchObject([
      { name: 'plain', isThis: true },
    ]);
    await plain.end();
  });

  test('is waited for by whoever follows a job of it while it restarts', async () => {
    const asked = await startHost('asked');
    const ground = makeGround();
    const first = await startProgram({ ground, env: clusterEnvironment(redis, 'restarts') });
    await seesHosts(asked, { asked: 'up', restarts: 'up' });
    const topology = topologyThat('echo before', 'wait_for restart', 'echo behind');
    const request = path.join(ground.workdir, 'request.json');
    writeFileSync(request, JSON.stringify({ action: 'up', workspace: 'auto', topology, host: 'restarts' }));
    const through = (...args: readonly string[]) =>
      runProgram([...args, '--server', asked.url], { PATH: process.env['PATH'] });
    const start = through('start', '--json', request, '--follow');
    const [id] = await start.prints(/job-\d+-[\da-f]{6}/);
    const logs = through('logs', '-f', id);
    for (const run of [start, logs]) await run.prints(/^before$/m);
    await first.end();
    for (const run of [start, logs]) await run.prints(/^lab: the host restarts [^\n]+; waiting for it$/m);
    await startProgram({ ground, env: clusterEnvironment(redis, 'restarts') });
    ground.let('restart');
    for (const run of [start, logs]) {
      expect(await run.exit).toBe(0);
      expect(run.output().match(/^before$|^behind$/gm)).toEqual(['before', 'behind']);
      expect(run.output().match(/waiting for it/g)).toHaveLength(1);
    }
  });

  test('has cancels kept for it while it is away, as they were asked for', async () => {
    const asked = await startHost('keeps');
    const ground = makeGround();
    // Without force, the job would have all this time.
    const env = { ...clusterEnvironment(redis, 'canceled'), LAB_API_CANCEL_GRACE: '10m' };
    const first = await startProgram({ ground, env });
    await seesHosts(asked, { keeps: 'up', canceled: 'up' });
    const topology = topologyThat("trap '' INT TERM", 'wait_for never');
    const body = { action: 'up', workspace: 'auto', topology, host: 'canceled' };
    const id = String((await asked.post('/jobs', body)).json.id);
    await ground.waitsFor('never');
    await first.end();
    await seesHosts(asked, { canceled: 'away' });
    const cancel = runProgram(['cancel', id, '--server', asked.url], { PATH: process.env['PATH'] });
    await cancel.prints(/^lab: \S+: its host canceled is away; the job is canceled when the host is back$/m);
    expect((await asked.post(`/jobs/${id}/cancel`, { forc: true })).status).toBe(400);
    expect((await asked.post(`/jobs/${id}/cancel`, { force: true })).status).toBe(202);
    await startProgram({ ground, env });
    expect(await cancel.exit).toBe(0);
    expect(cancel.output()).toContain(`${id} canceled`);
  });

  test('does not start under the name of another one', async () => {
    await startHost('taken');
    const { env } = makeGround();
    const second = runProgram(['api'], { ...env, ...clusterEnvironment(redis, 'taken') });
    expect(await second.exit).toBe(1);
    expect(second.output()).toContain('LAB_API_HOST_NAME: another host of the cluster is called "taken"');
  });

  test('keeps its id over a restart, and says nothing of its secrets', async () => {
    const ground = makeGround();
    const env = clusterEnvironment(redis, 'again');
    const first = await startProgram({ ground, env });
    const { id } = (await first.get('/hosts/again')).json;
    await first.end('SIGKILL');
    const second = await startProgram({ ground, env });
    expect((await second.get('/hosts/again')).json.id).toBe(id);
    for (const { run } of [first, second]) {
      expect(run.output()).not.toContain(env['LAB_API_CLUSTER_SECRET']);
      expect(run.output()).not.toContain('redis-password');
    }
  });
});
