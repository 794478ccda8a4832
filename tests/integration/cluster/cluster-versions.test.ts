/** A host beside a newer one, which wants and says more than this version knows. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { keys, queueName, queuePrefix } from '../../../src/cluster/keys.ts';
import { Signatures } from '../../../src/cluster/signature.ts';
import { clusterSecret, seesHosts, startHost, type ClusterHost } from '../../support/cluster.ts';
import { eventually } from '../../support/eventually.ts';
import { expectProblem } from '../../support/problem.ts';
import { missingRedis, startRedis, type RedisServer } from '../../support/redis.ts';
import { makeGround, topologyThat } from '../../support/service.ts';

const name = missingRedis === undefined ? 'beside a newer host' : `a newer host (skipped: ${missingRedis})`;
const body = { action: 'up', workspace: 'auto', topology: topologyThat() };
const signatures = new Signatures(clusterSecret);
const newer = randomUUID();
const run = randomUUID();

(missingRedis === undefined ? describe : describe.skip)(name, () => {
  let redis: RedisServer;
  let host: ClusterHost;
  let worker: Worker;
  let own: Redis;
  let id = '';
  const audit = () => readFileSync(path.join(host.ground.root, 'audit.log'), 'utf8');

  /** What the newer one tells of itself. */
  const tell = async (): Promise<void> => {
    const now = Date.now();
    const record = {
      id: newer,
      name: 'newer',
      url: 'http://127.0.0.1:1',
      pin: null,
      version: '99.0.0',
      run,
      startedAtMs: now,
      labels: [],
      isDraining: false,
      capacity: 2,
      running: 0,
      queued: 0,
      freeMemoryBytes: 1,
      memoryBytes: 2,
      labs: [],
      seenAtMs: now,
      ofLater: { a: [1] },
    };
    await redis.client.hset(keys.hosts, newer, signatures.sign('host', record));
    await redis.client.set(keys.lease(newer), run, 'PX', 600_000);
  };

  beforeAll(async () => {
    redis = await startRedis();
    await tell();
    const ground = makeGround();
    host = await startHost(redis, 'this', {
      ground,
      env: { LAB_API_AUDIT_FILE: path.join(ground.root, 'audit.log') },
    });
    own = redis.client.duplicate({ maxRetriesPerRequest: null });
    worker = new Worker(
      queueName(newer),
      async ({ id: nonce, data }) => {
        const { from } = signatures.verify('message', String(data)) as { from: string };
        const problem = { code: 'of-later', message: 'the moon is full', errors: [], extra: {} };
        const outcome = { kind: 'refused', problem: { ...problem, retryAfterSeconds: null, ofLater: 1 } };
        const answer = signatures.sign('answer', { nonce, outcome, ofLater: 1 });
        await redis.client.publish(keys.answers(from), answer);
        return answer;
      },
      { connection: own, prefix: queuePrefix },
    );
    worker.on('error', () => undefined);
    await seesHosts(host, { this: 'up', newer: 'up' });
    const { hosts } = (await host.get('/hosts')).json as { hosts: { id: string; isThis: boolean }[] };
    id = hosts.find(({ isThis }) => isThis)?.id ?? '';
  });
  afterAll(async () => {
    await worker?.close();
    own?.disconnect();
  });

  test('is told its version', async () => {
    expect((await host.get('/hosts/newer')).json).toMatchObject({ version: '99.0.0', state: 'up' });
  });

  test('what it refuses for reasons of its own is refused with its sentence', async () => {
    const refused = await host.post('/jobs', { ...body, host: 'newer' });
    expectProblem(refused, 409, 'conflict');
    expect(refused.json.error).toContain('the moon is full');
  });

  test('what it wants that nobody here knows is answered, and is no forgery', async () => {
    const answers = redis.client.duplicate();
    const heard = new Promise<string>((resolve) =>
      answers.on('message', (_channel, text: string) => resolve(text)),
    );
    await answers.subscribe(keys.answers(newer));
    const nonce = randomUUID();
    const asker = { name: 'ops', role: 'admin', workdirs: null };
    const wish = { kind: 'of-later', nonce, from: newer, to: id, asker };
    const queue = new Queue(queueName(id), { connection: redis.client, prefix: queuePrefix });
    await queue.add('of-later', signatures.sign('message', wish), { jobId: nonce });
    expect(signatures.verify('answer', await heard)).toMatchObject({
      nonce,
      outcome: { kind: 'refused', problem: { code: 'not-supported' } },
    });
    answers.disconnect();
    // Behind it, so that the audit would have it by now.
    const forged = randomUUID();
    await queue.add('submit', 'forged', { jobId: forged });
    await eventually('the audit has the forgery', () => (audit().includes(forged) ? true : undefined));
    await queue.close();
    expect(audit()).not.toContain(nonce);
  });
});
