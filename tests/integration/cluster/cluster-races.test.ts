/** One host with a real Redis: steps that other hosts, or a Redis that comes back, can come between. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { JobService } from '../../../src/jobs/job-service.ts';
import { AnsweredMessages } from '../../../src/cluster/answered-messages.ts';
import { Bindings, digestOf } from '../../../src/cluster/bindings.ts';
import { ClaimJob } from '../../../src/cluster/claim-job.ts';
import { Cluster } from '../../../src/cluster/cluster.ts';
import { JobIndex } from '../../../src/cluster/job-index.ts';
import { keys } from '../../../src/cluster/keys.ts';
import type { OwnHost } from '../../../src/cluster/own-host.ts';
import { RedisClock } from '../../../src/cluster/redis-clock.ts';
import { RedisLink } from '../../../src/cluster/redis-link.ts';
import { RepublishState } from '../../../src/cluster/republish-state.ts';
import { Signatures } from '../../../src/cluster/signature.ts';
import { messageHandlers } from '../../../src/cluster/take-message.ts';
import { AppError } from '../../../src/lib/app-error.ts';
import { deferred } from '../../../src/lib/async/deferred.ts';
import { clusterSecret } from '../../support/cluster.ts';
import { eventually } from '../../support/eventually.ts';
import { MemoryLogger } from '../../support/memory-logger.ts';
import { missingRedis, startRedis, type RedisServer } from '../../support/redis.ts';
import { sampleId, sampleJob } from '../../support/sample-job.ts';
import { emptyPlace, temporaryDirectory } from '../../support/temporary-directory.ts';

type Accepted = Awaited<ReturnType<JobService['submit']>>;

const name = missingRedis === undefined ? 'a host' : `a host (skipped: ${missingRedis})`;
const root = temporaryDirectory();
const refusal = new AppError('conflict', 'no');
const accepted = { job: { id: sampleId(1) }, isReplayed: true } as unknown as Accepted;
const place = (directory: string) => ({ kind: 'directory' as const, name: directory });

/** Without jobs and places. */
const own: OwnHost = {
  name: 'one',
  facts: () => ({
    name: 'one',
    url: 'http://127.0.0.1:1',
    pin: null,
    version: '1',
    labels: [],
    clis: [],
    capacity: 1,
    running: 0,
    queued: 0,
    freeMemoryBytes: 1,
    memoryBytes: 1,
    labs: [],
  }),
  jobIds: () => [],
  rowOf: () => undefined,
  places: async () => Promise.resolve([]),
  claims: () => [],
  hasRoom: () => true,
  usage: () => new Map(),
  isOwnKey: () => false,
  isOwnPlace: async () => Promise.resolve(false),
  submit: async () => Promise.reject(refusal),
  view: async () => Promise.reject(refusal),
  cancel: async () => Promise.reject(refusal),
  onForged: () => undefined,
};

(missingRedis === undefined ? describe : describe.skip)(name, () => {
  let redis: RedisServer;
  let link: RedisLink;
  const log = new MemoryLogger();

  beforeAll(async () => {
    redis = await startRedis();
    link = new RedisLink(redis.url, log);
    await link.open();
  });
  afterAll(() => link.close());

  const holderOf = async (directory: string) => redis.client.hget(keys.bindings, `directory ${directory}`);
  const claiming = (more: Partial<ConstructorParameters<typeof ClaimJob>[0]>) =>
    new ClaimJob({ ...own, ownId: () => 'one', bindings: new Bindings(link), ...more });

  test('keeps a directory that is given back while a job for it is being taken', async () => {
    const { directory: dataDir } = emptyPlace(root);
    const cluster = new Cluster({ redisUrl: redis.url, secret: clusterSecret, dataDir, own, log });
    await cluster.prepare();
    await cluster.open();
    const [begun, refused] = [deferred<void>(), deferred<void>()];
    const taking = cluster.submit(
      {
        body: {},
        host: undefined,
        hostLabels: [],
        cli: undefined,
        startsLab: true,
        workspace: undefined,
        directory: '/labs/a',
        instance: undefined,
        claim: undefined,
        asker: null,
      },
      async () => {
        begun.resolve();
        await refused.promise;
        throw refusal;
      },
    );
    await begun.promise;
    await cluster.noteFree('directory', '/labs/a');
    expect(await holderOf('/labs/a')).toBe(cluster.id);
    refused.resolve();
    await expect(taking).rejects.toBe(refusal);
    expect(await holderOf('/labs/a')).toBeNull();
    await cluster.close();
  });

  test('leaves no timer when it is closed while Redis is away', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const other = await startRedis();
    const before = timers();
    const { directory: dataDir } = emptyPlace(root);
    const cluster = new Cluster({ redisUrl: other.url, secret: clusterSecret, dataDir, own, log });
    await cluster.prepare();
    await cluster.open();
    await eventually('it takes messages', async () =>
      String(await other.client.client('LIST')).includes('cmd=bzpopmin') ? true : undefined,
    );
    await other.stop();
    await eventually('it is away', () =>
      cluster.seen.length === 1 && log.errors().some((said) => said.includes('Redis is away'))
        ? true
        : undefined,
    );
    await cluster.close();
    // The client of this test has a timer, too, while it is away.
    await other.start();
    await eventually('all timers are gone', () => (timers() <= before ? true : undefined));
  });

  test('keeps the directory of a refused job when the next one comes meanwhile', async () => {
    const [asked, told, begun, made] = [0, 1, 2, 3].map(() => deferred<void>());
    const isOwnPlace = async (): Promise<boolean> => {
      asked!.resolve();
      await told!.promise;
      return false;
    };
    const claimJob = claiming({ isOwnPlace });
    const stake = { place: place('/labs/b'), key: undefined };
    const first = claimJob.take(stake, async () => Promise.reject(refusal), false);
    await asked!.promise;
    const second = claimJob.take(
      stake,
      async () => {
        begun!.resolve();
        await made!.promise;
        return accepted;
      },
      false,
    );
    await begun!.promise;
    told!.resolve();
    await expect(first).rejects.toBe(refusal);
    expect(await holderOf('/labs/b')).toBe('one');
    made!.resolve();
    expect(await second).toBe(accepted);
  });

  test('answers a repeated request although its directory is now the directory of another host', async () => {
    await new Bindings(link).bind('directory', '/labs/c', 'two');
    const stake = { place: place('/labs/c'), key: { user: null, key: 'again' } };
    const take = async (isOwnKey: boolean) =>
      claiming({ isOwnKey: () => isOwnKey }).take(stake, async () => Promise.resolve(accepted), false);
    expect(await take(true)).toBe(accepted);
    await expect(take(false)).rejects.toMatchObject({ code: 'conflict' });
    expect(await holderOf('/labs/c')).toBe('two');
  });

  test('makes no job for a key that another host has by now', async () => {
    const key = { user: null, key: randomUUID() };
    await new Bindings(link).claim(digestOf(key), 'two');
    const submit = async () => Promise.reject(new Error('a second job'));
    await expect(claiming({}).take({ place: undefined, key }, submit, false)).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(await new Bindings(link).claimedBy(digestOf(key))).toBe('two');
  });

  test('takes no more jobs than it has room for, if their senders want it so', async () => {
    const claimJob = claiming({ hasRoom: (coming) => coming < 1 });
    const made = deferred<Accepted>();
    const first = claimJob.take({ place: undefined, key: undefined }, async () => made.promise, true);
    const stake = { place: place('/labs/d'), key: undefined };
    const second = (ifRoom: boolean) => claimJob.take(stake, async () => Promise.resolve(accepted), ifRoom);
    await expect(second(true)).rejects.toMatchObject({ code: 'queue-full' });
    expect(await holderOf('/labs/d')).toBeNull();
    expect(await second(false)).toBe(accepted);
    made.resolve(accepted);
    await first;
    expect(await second(true)).toBe(accepted);
  });

  test('finds the job of a message that comes again after a crash, although there is no room any more', async () => {
    const answered = new AnsweredMessages(emptyPlace(root).directory, log);
    await answered.load();
    const clock = new RedisClock();
    clock.set(await redis.client.time(), performance.now());
    const made = { ...own, isOwnKey: () => true, submit: async () => Promise.resolve(accepted) };
    const claimJob = claiming({ hasRoom: () => false });
    const means = {
      answered,
      clock,
      claimJob,
      isOusted: () => false,
      indexed: async () => Promise.resolve(),
      log,
    };
    const { take } = messageHandlers({ own: made, ...means });
    const message = {
      kind: 'submit' as const,
      nonce: 'again',
      from: randomUUID(),
      to: randomUUID(),
      asker: null,
      body: {},
      place: null,
      claim: null,
      ifRoom: true,
      endsAtMs: Number.MAX_SAFE_INTEGER,
    };
    expect(await take(message)).toMatchObject({ kind: 'accepted', job: accepted.job });
    await answered.close();
  });

  test('can be found by its jobs while it writes them again, also when Redis is full', async () => {
    const signatures = new Signatures(clusterSecret);
    const ids = Array.from({ length: 1_100 }, (_, at) => sampleId(at));
    let jobs = new Set(ids);
    const rowOf = (id: string) => (jobs.has(id) ? { ...sampleJob({ id }), host: '' } : undefined);
    const index = new JobIndex({ ownId: () => 'one', link, signatures, rowOf, log });
    const stored = async () =>
      (await redis.client.zrange(keys.jobs('one'), '0', '-1')).map((row) => row.slice(0, row.indexOf(' ')));
    await index.rewrite(() => ids);
    expect(await stored()).toEqual(ids);
    await redis.client.config('SET', 'maxmemory', '1');
    await expect(index.rewrite(() => ids)).rejects.toMatchObject({ code: 'cluster-unavailable' });
    expect(await stored()).toEqual(ids);
    await redis.client.config('SET', 'maxmemory', '0');
    // Those that are gone go from every part.
    const left = ids.filter((_, at) => at % 3 === 1);
    jobs = new Set(left);
    await index.rewrite(() => left);
    expect(await stored()).toEqual(left);
    jobs.clear();
    await index.rewrite(() => []);
    expect(await stored()).toEqual([]);
  });

  test('does not say that all is written when Redis came back in between', async () => {
    const [asked, told] = [deferred<void>(), deferred<void>()];
    const places = async () => {
      asked.resolve();
      await told.promise;
      return [];
    };
    const signatures = new Signatures(clusterSecret);
    const index = new JobIndex({ ownId: () => 'late', link, signatures, rowOf: () => undefined, log });
    const bindings = new Bindings(link);
    const means = { ownId: () => 'late', run: 'run', link, bindings, index, log };
    const state = new RepublishState({ ...means, own: { ...own, places } });
    const writing = state.writeAll();
    await asked.promise;
    state.doubt();
    told.resolve();
    await writing;
    expect(await redis.client.get(keys.written('late'))).toBeNull();
    await state.writeAll();
    expect(await redis.client.get(keys.written('late'))).toBe('run');
  });
});
