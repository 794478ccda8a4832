/** Hosts of a cluster that have different lab CLIs. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { seesHosts, startHost, type ClusterHost } from '../../support/cluster.ts';
import { fixtureProgram } from '../../support/programs.ts';
import { missingRedis, startRedis } from '../../support/redis.ts';

const name =
  missingRedis === undefined ? 'lab CLIs of hosts' : `lab CLIs of hosts (skipped: ${missingRedis})`;
const clis = [fixtureProgram('fake-netlab'), fixtureProgram('fake-clab/containerlab')].join(',');
const topology = (lab: string): string => `name: ${lab}\ntopology: { nodes: { h1: {} } }\n`;

(missingRedis === undefined ? describe : describe.skip)(name, () => {
  let [one, two]: ClusterHost[] = [];

  beforeAll(async () => {
    const redis = await startRedis();
    one = await startHost(redis, 'one');
    two = await startHost(redis, 'two', { env: { LAB_API_CLI: undefined, LAB_API_CLIS: clis } });
    for (const host of [one, two]) await seesHosts(host, { one: 'up', two: 'up' });
  });

  test('are told, and a job goes where the one is that it asks for', async () => {
    const { hosts } = (await one!.get('/hosts')).json;
    const told = (hosts as { name: string; clis: string[] }[]).map((host) => [host.name, host.clis]);
    expect(told).toEqual([
      ['one', ['netlab']],
      ['two', ['netlab', 'containerlab']],
    ]);
    const ask = { action: 'up', workspace: 'auto', cli: 'containerlab', topology: topology('one') };
    const accepted = await one!.post('/jobs', ask);
    expect(accepted).toMatchObject({ status: 202, json: { host: 'two', cli: 'containerlab' } });
    expect(await one!.ended(String(accepted.json.id))).toMatchObject({ state: 'success' });
    expect((await one!.get('/labs/one')).json).toMatchObject({ id: 'one@two', cli: 'containerlab' });
    const down = await one!.post('/jobs', { action: 'down', instance: 'one@two' });
    expect(down).toMatchObject({ status: 202, json: { host: 'two', cli: 'containerlab' } });
    await one!.ended(String(down.json.id));
  });
});
