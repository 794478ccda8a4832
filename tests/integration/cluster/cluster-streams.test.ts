import { beforeAll, describe, expect, test } from '@jest/globals';
import { seesHosts, startHost, type ClusterHost } from '../../support/cluster.ts';
import { changesOf, follow, isEnd, until } from '../../support/followed-events.ts';
import { makeNodeGround } from '../../support/node-ground.ts';
import { missingRedis, startRedis, type RedisServer } from '../../support/redis.ts';
import { topologyThat, type RunningService } from '../../support/service.ts';
import { TerminalClient } from '../../support/terminal-client.ts';

const name =
  missingRedis === undefined ? 'streams of a cluster' : `streams of a cluster (skipped: ${missingRedis})`;
const nodes = makeNodeGround();

(missingRedis === undefined ? describe : describe.skip)(name, () => {
  let redis: RedisServer;
  let [one, two]: ClusterHost[] = [];

  beforeAll(async () => {
    redis = await startRedis();
    one = await startHost(redis, 'one');
    two = await startHost(redis, 'two', { ground: nodes.ground, env: { ...nodes.env, PS1: 'ready> ' } });
    for (const host of [one, two]) await seesHosts(host, { one: 'up', two: 'up' });
  });

  const start = async (through: RunningService, on: string, ...commands: string[]) => {
    const topology = topologyThat(...commands);
    const accepted = await through.post('/jobs', { action: 'up', workspace: 'auto', topology, host: on });
    expect(accepted.status).toBe(202);
    return String(accepted.json.id);
  };

  test('tell of the jobs of all hosts, in order for each, and go on after any event', async () => {
    const feed = await follow(one!);
    await until(feed, ({ event }) => event === 'ready');
    const here = await start(two!, 'one');
    const atHere = await until(feed, isEnd(here));
    expect(changesOf(atHere, here)).toEqual(['created queued', 'state running', 'state success']);
    expect(atHere.at(-1)?.data).toMatchObject({ host: 'one' });
    feed.close();

    const missed = await start(one!, 'two');
    await one!.ended(missed);
    const again = await follow(one!, '', atHere.at(-1)?.id);
    const late = await until(again, isEnd(missed));
    expect(changesOf(late, missed)).toEqual([
      'created queued',
      'state running',
      expect.stringMatching(/^state /),
    ]);
    expect(changesOf(late, here)).toEqual([]);
    expect(late.at(-1)?.data).toMatchObject({ host: 'two' });
    again.close();

    const running = await start(two!, 'one', 'wait_for snapshot');
    await one!.ground.waitsFor('snapshot');
    const fresh = await follow(one!, '?types=job');
    const snapshot = await until(fresh, ({ event }) => event === 'ready');
    const current = snapshot
      .filter(({ event }) => event === 'job')
      .map(({ data }) => [data.job.id, data.change, data.host]);
    expect(current).toEqual([[running, 'current', 'one']]);
    one!.ground.let('snapshot');
    await until(fresh, isEnd(running));
    fresh.close();
  });

  test('begin anew for an id of a service that worked alone', async () => {
    const feed = await follow(one!, '', 'an-old-id-7');
    const [reset, snapshot] = await until(feed, ({ event }) => event === 'snapshot');
    expect([reset?.event, reset?.data.reason, snapshot?.event]).toEqual(['reset', 'other-feed', 'snapshot']);
    feed.close();
  });

  test('of a log come through another host as they are printed, and resume there', async () => {
    const id = await start(two!, 'one', 'echo first', 'wait_for more', 'echo second');
    const stream = await two!.open(`/jobs/${id}/log?follow=true`, { headers: { accept: 'text/plain' } });
    let text = '';
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      text += chunk.toString();
      if (text.includes('first')) one!.ground.let('more');
    }
    expect(text).toContain('second');
    expect(text).toBe(await one!.logText(id));
  });

  test('are terminals of nodes of another host', async () => {
    const terminal = await new TerminalClient(
      one!.url,
      '/labs/default@two/nodes/vm/terminal?columns=90&rows=20',
    ).opened();
    terminal.type('stty size; exit 4\r');
    await terminal.prints(/20 90/);
    expect(await terminal.closed).toMatchObject({ code: 1000 });
    expect(terminal.said).toEqual([{ type: 'exit', exitCode: 4, signal: null }]);
    const refused = new TerminalClient(one!.url, '/labs/default@two/nodes/nobody/terminal');
    await refused.closed;
    expect((await one!.get('/labs/default@two/nodes/nobody/log')).status).toBe(404);
  });

  test.each([
    ['a node', '/nodes/r1/exec', {}],
    ['many nodes', '/exec', { nodes: ['r*'] }],
  ])('are what a command prints in %s of another host', async (_where, route, more) => {
    const body = { ...more, command: ['echo', 'from two'] };
    const reply = await one!.post(`/labs/default@two${route}`, body);
    expect([reply.status, reply.text]).toEqual([200, expect.stringContaining('from two')]);
  });
});
