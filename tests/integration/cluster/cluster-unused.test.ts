import { expect } from '@jest/globals';
import { seesHosts, startHost } from '../../support/cluster.ts';
import { eventually } from '../../support/eventually.ts';
import { missingRedis, startRedis } from '../../support/redis.ts';
import { testUnless } from '../../support/requirements.ts';

const { because, it } = testUnless(missingRedis);

it(`each host of a cluster removes its own unused workspaces, whose names are free then${because}`, async () => {
  const redis = await startRedis();
  const one = await startHost(redis, 'one');
  const two = await startHost(redis, 'two', { env: { LAB_API_KEEP_WORKSPACES: '1s' } });
  for (const host of [one, two]) await seesHosts(host, { one: 'up', two: 'up' });
  const make = async (target: string) => one.request(`/workspaces/${target}`, { method: 'PUT' });
  expect((await make('kept?host=one')).status).toBe(201);
  expect((await make('ours?host=two')).json.expiresAt).not.toBeNull();
  const onDisk = async (host: string) => {
    const { json } = await one.get(`/disk?host=${host}`);
    return (json.largestWorkspaces as { name: string }[]).map((workspace) => workspace.name);
  };
  await eventually('the workspace of two is removed', async () => (await onDisk('two')).length === 0);
  await eventually('its name is free', async () => (await make('ours?host=one')).status === 201);
  expect(await onDisk('one')).toEqual(['kept', 'ours']);
});
