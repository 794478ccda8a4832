/** A host that says it is where it is not, and one that cannot know how the others are. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { startHost, type ClusterHost } from '../../support/cluster.ts';
import { eventually } from '../../support/eventually.ts';
import { freePort } from '../../support/free-port.ts';
import { expectProblem } from '../../support/problem.ts';
import { missingRedis, startRedis, type RedisServer } from '../../support/redis.ts';
import { topologyThat } from '../../support/service.ts';

/** Answers with a text that does not end. */
const endless = http.createServer((_req, res) => {
  Readable.from(
    (function* () {
      for (;;) yield Buffer.alloc(64 * 1024, ' ');
    })(),
  ).pipe(res);
});
afterAll(() => {
  endless.close();
  endless.closeAllConnections();
});

const name = missingRedis === undefined ? 'hosts' : `hosts (skipped: ${missingRedis})`;

(missingRedis === undefined ? describe : describe.skip)(name, () => {
  let redis: RedisServer;
  let [one, lost, astray]: ClusterHost[] = [];

  beforeAll(async () => {
    redis = await startRedis();
    one = await startHost(redis, 'one');
    const nowhere = `http://127.0.0.1:${await freePort()}`;
    lost = await startHost(redis, 'lost', { env: { LAB_API_HOST_URL: nowhere, LAB_API_HOST_LABELS: 'far' } });
    // Where another host is.
    astray = await startHost(redis, 'astray', { env: { LAB_API_HOST_URL: one.url } });
    endless.listen(0, '127.0.0.1');
    await once(endless, 'listening');
    const flood = `http://127.0.0.1:${(endless.address() as AddressInfo).port}`;
    await startHost(redis, 'flooded', { env: { LAB_API_HOST_URL: flood } });
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
      const { one: own, ...others } = await hosts(one!);
      const all = Object.values(others);
      return own && all.length === 3 && all.every(({ unreachable }) => unreachable !== null);
    });
    const seen = await hosts(one!);
    expect(seen).toMatchObject({
      one: { unreachable: null, stale: false },
      lost: { state: 'up', unreachable: expect.stringContaining('ECONNREFUSED') },
      astray: { state: 'up', unreachable: expect.stringContaining('another host answers there') },
      flooded: { state: 'up', unreachable: 'what answers there is no host' },
    });
    expect((await one!.get('/hosts/lost')).json).toMatchObject({ unreachable: seen['lost']?.unreachable });
    // It gets a lab if it is named, and not otherwise.
    const up = { action: 'up', workspace: 'auto', topology: topologyThat() };
    expectProblem(await one!.post('/jobs', { ...up, hostLabels: ['far'] }), 503, 'host-unavailable');
    expect((await one!.post('/jobs', { ...up, host: 'lost' })).status).toBe(202);
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
