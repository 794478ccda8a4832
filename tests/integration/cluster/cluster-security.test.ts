import { beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Queue } from 'bullmq';
import { keys, queueName, queuePrefix } from '../../../src/cluster/keys.ts';
import { Signatures, type Purpose } from '../../../src/cluster/signature.ts';
import { clusterSecret, seesHosts, startHost, type ClusterHost } from '../../support/cluster.ts';
import { eventually } from '../../support/eventually.ts';
import { expectProblem } from '../../support/problem.ts';
import { missingRedis, startRedis, type RedisServer } from '../../support/redis.ts';
import { makeGround, topologyThat, type Ground } from '../../support/service.ts';
import { basic, bearer, makeTeam, passwords, tokens } from '../../support/team.ts';

const name = missingRedis === undefined ? 'a cluster' : `a cluster (skipped: ${missingRedis})`;
const ops = basic('ops', passwords.ops);
const vera = basic('vera', passwords.vera);
const ci = bearer(tokens.ci);

(missingRedis === undefined ? describe : describe.skip)(name, () => {
  let redis: RedisServer;
  let [one, two]: ClusterHost[] = [];
  let [idOne, idTwo] = ['', ''];

  const start = async (host: string, ground: Ground): Promise<ClusterHost> => {
    const team = await makeTeam(ground.root);
    const env = { ...team.env, LAB_API_AUDIT_FILE: path.join(ground.root, 'audit.log') };
    return startHost(redis, host, { ground, env });
  };

  beforeAll(async () => {
    redis = await startRedis();
    [one, two] = [await start('one', makeGround()), await start('two', makeGround())];
    const list = await eventually('both', async () => {
      const { hosts: all } = (await one!.get('/hosts', ops)).json as {
        hosts: { id: string; name: string }[];
      };
      return all.length === 2 ? all : undefined;
    });
    [idOne = '', idTwo = ''] = list.map(({ id }) => id);
  });

  const body = { action: 'up', workspace: 'auto', topology: topologyThat() };
  const audited = () => readFileSync(path.join(two!.ground.root, 'audit.log'), 'utf8');

  test('knows users and their roles on every host', async () => {
    expectProblem(await one!.get('/hosts'), 401, 'unauthorized');
    expectProblem(await one!.post('/jobs', { ...body, host: 'two' }, vera), 403, 'forbidden');
    expectProblem(await one!.post('/hosts/two/drain', {}, ci), 403, 'forbidden');
    const accepted = await one!.post('/jobs', { ...body, host: 'two' }, ci);
    expect([accepted.status, accepted.json.requestedBy]).toEqual([202, 'ci']);
    const id = String(accepted.json.id);
    expect((await one!.get(`/jobs/${id}?wait=20`, vera)).json).toMatchObject({
      requestedBy: 'ci',
      state: 'success',
    });
    expectProblem(await one!.request(`/jobs/${id}`, { method: 'DELETE', headers: vera }), 403, 'forbidden');
    expect((await one!.request(`/jobs/${id}`, { method: 'DELETE', headers: ci })).status).toBe(204);
    expect(audited()).toMatch(/"user":"ci".*"loggedInBy":"host"/);
  });

  /** As somebody does who can write to Redis. What was written under the nonce before is written over. */
  const write = async (data: unknown, nonce = randomUUID()): Promise<void> => {
    const queue = new Queue(queueName(idTwo), { connection: redis.client, prefix: queuePrefix });
    await queue.remove(nonce);
    await queue.add('submit', data, { jobId: nonce });
    await eventually('it was taken', async () => {
      const state = await queue.getJobState(nonce);
      return state === 'completed' || state === 'unknown' ? true : undefined;
    });
    await queue.close();
  };
  const message = (more: object, nonce: string) => ({
    kind: 'submit',
    nonce,
    from: idOne,
    to: idTwo,
    asker: { name: 'ops', role: 'admin', workdirs: null },
    body,
    claim: null,
    endsAtMs: Date.now() + 60_000,
    ...more,
  });
  const jobs = async () =>
    (await two!.get('/jobs?host=two', ops)).json.jobs as { id: string; labels: Record<string, string> }[];

  test('takes no message that its hosts did not write, and audits it', async () => {
    const before = (await jobs()).length;
    const good = new Signatures(clusterSecret);
    const bad = new Signatures('another secret of at least 32 characters!');
    for (const [signatures, purpose, more] of [
      [bad, 'message', {}],
      [good, 'pass', {}],
      [good, 'message', { to: idOne }],
      [good, 'message', { nonce: 'another' }],
    ] as readonly [Signatures, Purpose, object][]) {
      const nonce = randomUUID();
      await write(signatures.sign(purpose, message(more, nonce)), nonce);
      await eventually('the audit has it', () => (audited().includes(nonce) ? true : undefined));
    }
    await write({ kind: 'submit' });
    await write('nonsense');
    expect(await jobs()).toHaveLength(before);
  });

  test('does a message once that comes twice, and not at all when it comes too late', async () => {
    const before = (await jobs()).length;
    const signatures = new Signatures(clusterSecret);
    const nonce = randomUUID();
    const signed = signatures.sign('message', message({}, nonce));
    await write(signed, nonce);
    expect(await jobs()).toHaveLength(before + 1);
    await write(signed, nonce);
    const late = randomUUID();
    await write(signatures.sign('message', message({ endsAtMs: Date.now() - 1_000 }, late)), late);
    expect(await jobs()).toHaveLength(before + 1);
  });

  test('does a message once, though its job was removed or its request was refused, and after a restart too', async () => {
    const signatures = new Signatures(clusterSecret);
    const workdir = path.join(two!.ground.root, 'labs', 'later');
    const replays = [
      { labels: { of: 'no-key' } },
      { labels: { of: 'a-key' }, claim: { key: 'k', fingerprint: 'f' } },
      { labels: { of: 'a-repeated-key' }, claim: { key: 'k', fingerprint: 'f' } },
      { workspace: undefined, workdir, labels: { of: 'refused' } },
    ].map(({ claim = null, ...more }) => {
      const nonce = randomUUID();
      const signed = signatures.sign('message', message({ claim, body: { ...body, ...more } }, nonce));
      return async () => write(signed, nonce);
    });
    const made = async () =>
      (await jobs()).filter(({ labels }) => 'of' in labels).map(({ labels }) => labels['of']);
    for (const replay of replays) await replay();
    expect(await made()).toEqual(['a-key', 'no-key']);
    for (const { id, labels } of await jobs()) {
      if (!('of' in labels)) continue;
      await eventually('it has ended', async () =>
        (await two!.request(`/jobs/${id}`, { method: 'DELETE', headers: ops })).status === 204
          ? true
          : undefined,
      );
    }
    two!.ground.makeWorkdir('later');
    for (const replay of replays) await replay();
    expect(await made()).toEqual([]);
    await two!.stop();
    two = await start('two', two!.ground);
    for (const replay of replays) await replay();
    expect(await made()).toEqual([]);
  });

  test('lets in no request that its hosts did not pass on, nor one twice', async () => {
    const pass = (more: object, signatures = new Signatures(clusterSecret)): string => {
      const content = {
        from: idOne,
        to: idTwo,
        method: 'GET',
        path: '/jobs',
        asker: { name: 'ops', role: 'admin', workdirs: null },
        nonce: randomUUID(),
        atMs: Date.now(),
        ...more,
      };
      return Buffer.from(signatures.sign('pass', content)).toString('base64url');
    };
    const show = async (value: string) => two!.get('/jobs', { 'X-Lab-Api-Pass': value });
    const good = pass({});
    expect((await show(good)).status).toBe(200);
    for (const wrong of [
      good,
      'nonsense',
      pass({}, new Signatures('another secret of at least 32 characters!')),
      pass({ to: idOne }),
      pass({ path: '/labs' }),
      pass({ method: 'POST' }),
      pass({ atMs: Date.now() - 60_000 }),
      pass({ atMs: Date.now() + 60_000 }),
      pass({ asker: null }),
    ])
      expectProblem(await show(wrong), 401, 'unauthorized');
  });

  test('believes no host in Redis that its hosts did not write', async () => {
    await redis.client.hset(keys.hosts, randomUUID(), '{"name":"evil","url":"http://127.0.0.1:1"}');
    await seesHostsAs({ one: 'up', two: 'up' });
    const { hosts } = (await one!.get('/hosts', ops)).json as { hosts: { name: string }[] };
    expect(hosts.map((host) => host.name)).toEqual(['one', 'two']);
  });

  const seesHostsAs = async (wanted: Record<string, string>) => {
    const asOps = Object.assign(Object.create(one!), {
      get: async (target: string) => one!.get(target, ops),
    });
    await seesHosts(asOps, wanted);
  };
});
