/** A host that says it is where it is not, and one that cannot know how the others are. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { startHost, type ClusterHost } from '../../support/cluster.ts';
import { eventually } from '../../support/eventually.ts';
import { freePort } from '../../support/free-port.ts';
import { missingRedis, startRedis, type RedisServer } from '../../support/redis.ts';

const name = missingRedis === undefined ? 'hosts' : `hosts (skipped: ${missingRedis})`;

(missingRedis === undefined ? describe : describe.skip)(name, () => {
  let redis: RedisServer;
  let [one, lost, astray]: ClusterHost[] = [];

  beforeAll(async () => {
    redis = await startRedis();
    one = await startHost(redis, 'one');
    const nowhere = `http://127.0.0.1:${await freePort()}`;
    lost = await startHost(redis, 'lost', { env: { LAB_API_HOST_URL: nowhere } });
    // Where another host is.
    astray = await startHost(redis, 'astray', { env: { LAB_API_HOST_URL: one.url } });
  });

  interface Shown {
    readonly name: string;
    readonly state: string;
    readonly stale: boolean;
    readonly unreachable: string | null;
    readonly seenSecondsAgo: number;
  }
  const hosts = async (asked: ClusterHost) => {
    const list = (await asked.get('/hosts')).json.hosts as Shown[];
    return Object.fromEntries(list.map((host) => [host.name, host]));
  };

  test('are reached where they say they are, or that is said', async () => {
    await eventually('one says whom it does not reach', async () => {
      const { lost: first, astray: second } = await hosts(one!);
      return first?.unreachable && second?.unreachable ? true : undefined;
    });
    const seen = await hosts(one!);
    expect(seen).toMatchObject({
      one: { unreachable: null, stale: false },
      lost: { state: 'up', unreachable: expect.stringContaining('ECONNREFUSED') },
      astray: { state: 'up', unreachable: expect.stringContaining('another host answers there') },
    });
    expect((await one!.get('/hosts/lost')).json).toMatchObject({ unreachable: seen['lost']?.unreachable });
    expect(seen['one']?.seenSecondsAgo).toBeGreaterThanOrEqual(0);
    // Those of whom it is said are told, and say it themselves.
    await eventually('they know it', async () => {
      const own = [(await hosts(lost!))['lost'], (await hosts(astray!))['astray']];
      return own.every((host) => host?.unreachable?.includes('one: ')) ? true : undefined;
    });
  });

  test('are not known to be up while Redis is away', async () => {
    await redis.stop();
    await eventually('it is said', async () => ((await hosts(one!))['lost']?.stale ? true : undefined));
    expect(await hosts(one!)).toMatchObject({ one: { stale: false, state: 'up' }, lost: { stale: true } });
    await redis.start();
    await eventually('all is known again', async () =>
      (await hosts(one!))['lost']?.stale === false ? true : undefined,
    );
  });
});
