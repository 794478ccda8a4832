import { beforeAll, describe, expect, test } from '@jest/globals';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { seesHosts, startHost, type ClusterHost } from '../../support/cluster.ts';
import { eventually } from '../../support/eventually.ts';
import { missingRedis, startRedis } from '../../support/redis.ts';
import { topologyThat } from '../../support/service.ts';
import { expectProblem } from '../../support/problem.ts';

const name =
  missingRedis === undefined ? 'labs of a cluster' : `labs of a cluster (skipped: ${missingRedis})`;

(missingRedis === undefined ? describe : describe.skip)(name, () => {
  let [one, two]: ClusterHost[] = [];

  beforeAll(async () => {
    const redis = await startRedis();
    // The fake lab CLI keeps its list of labs where netlab does.
    const env = { FAKE_LAB_LOGS: 'yes' };
    one = await startHost(redis, 'one', { env });
    two = await startHost(redis, 'two', { env });
    for (const host of [one, two]) await seesHosts(host, { one: 'up', two: 'up' });
  });

  test('are listed with their host, and each is reached through any', async () => {
    const start = async (host: string) => {
      const workdir = (host === 'one' ? one! : two!).ground.makeWorkdir(`lab-${host}`);
      const { json } = await one!.post('/jobs', { action: 'up', workdir, topology: topologyThat(), host });
      await one!.ended(String(json.id));
    };
    await start('two');
    // At once, before anybody has told of it.
    expect((await one!.get('/labs/default')).json).toMatchObject({
      id: 'default@two',
      host: 'two',
      state: 'started',
    });
    await start('one');
    const { labs } = (await two!.get('/labs')).json as { labs: { id: string; host: string }[] };
    expect(
      labs.map(({ id, host }) => [id, host]).toSorted(([a = ''], [b = '']) => a.localeCompare(b)),
    ).toEqual([
      ['default@one', 'one'],
      ['default@two', 'two'],
    ]);
    expect((await one!.get('/labs/default@two')).json).toMatchObject({ id: 'default@two' });
    expect((await one!.get('/labs/default@one')).json).toMatchObject({ id: 'default@one' });
    expectProblem(await one!.get('/labs/default@nobody'), 404, 'host-not-found');
    expect(Object.keys((await one!.get('/status')).json).toSorted()).toEqual(['default@one', 'default@two']);
    expect(Object.keys((await one!.get('/status?host=two')).json)).toEqual(['default']);
    const text = (await one!.get('/status?output=text')).text;
    expect(text).toMatch(/# one\n[^#]*default[^#]*# two\n[^#]*default/);
    await eventually('both are told of', async () => {
      const reply = await one!.get('/labs/default');
      return reply.status === 409 ? true : undefined;
    });
    const down = await one!.post('/jobs', { action: 'down', instance: 'default@two' });
    expect([down.status, down.json.host]).toEqual([202, 'two']);
    expect((await one!.ended(String(down.json.id))).state).toBe('success');
  });

  test('have topology files on each host, and any of them tells those of another', async () => {
    const dir = two!.ground.makeWorkdir('templates');
    writeFileSync(path.join(dir, 'only-on-two.yml'), topologyThat());
    const list = async (host: ClusterHost, query: string) =>
      host.get(`/templates?dir=${encodeURIComponent(dir)}${query}`);
    const files = [{ path: 'only-on-two.yml', valid: true }];
    expect((await list(one!, '&host=two')).json.templates).toMatchObject(files);
    expect((await list(two!, '')).json.templates).toMatchObject(files);
    rmSync(dir, { recursive: true });
    const gone = await list(one!, '&host=two');
    expectProblem(gone, 404, 'directory-not-found');
    expectProblem(await list(one!, '&host=three'), 404, 'host-not-found');
    // The files of who is asked.
    const empty = one!.ground.makeWorkdir('no-templates');
    expect((await one!.get(`/templates?dir=${encodeURIComponent(empty)}`)).json.templates).toEqual([]);
  });

  test('live in workspaces of one host, whoever is asked', async () => {
    const made = await one!.request('/workspaces/ours?host=two', { method: 'PUT' });
    expect(made.status).toBe(201);
    const topology = topologyThat('echo from the workspace');
    const put = await one!.request('/workspaces/ours/files/topology.yml', { method: 'PUT', body: topology });
    expect(put.status).toBe(201);
    for (const host of [one!, two!]) {
      expect((await host.get('/workspaces')).json.workspaces).toMatchObject([{ name: 'ours' }]);
      expect((await host.get('/workspaces/ours/files/topology.yml')).text).toBe(topology);
    }
    const look = topologyThat('grep -q "from the workspace" old.yml || exit 1');
    await one!.request('/workspaces/ours/files/old.yml', { method: 'PUT', body: topology });
    for (const host of [one!, two!]) {
      const checked = await host.post('/topologies/check', { topology: look, workspace: 'ours' });
      expect(checked.json).toMatchObject({ valid: true, problems: [] });
      const layout = { nodes: { r1: { x: 1, y: 2 } }, links: {} };
      const placed = await host.request('/workspaces/ours/layout', { method: 'PUT', body: layout });
      expect([placed.status, placed.json]).toEqual([200, layout]);
    }
    const up = await one!.post('/jobs', { action: 'up', workspace: 'ours' });
    expect([up.status, up.json.host]).toEqual([202, 'two']);
    expect((await one!.ended(String(up.json.id))).state).toBe('success');
    expect(await one!.logText(String(up.json.id))).toContain('from the workspace');
    await one!.ended(String((await one!.post('/jobs', { action: 'down', workspace: 'ours' })).json.id));
    expect((await one!.request('/workspaces/ours', { method: 'DELETE' })).status).toBe(204);
    expectProblem(await two!.get('/workspaces/ours'), 404, 'workspace-not-found');
    await eventually('it is free', async () => {
      const again = await two!.request('/workspaces/ours?host=one', { method: 'PUT' });
      expect([200, 201]).toContain(again.status);
      return ((await one!.get('/workspaces?host=one')).json.workspaces as unknown[]).length === 1;
    });
    expectProblem(await one!.get('/jobs?host=nobody'), 404, 'host-not-found');
  });

  test('can be drained', async () => {
    expect((await one!.post('/hosts/two/drain', {})).json).toMatchObject({ name: 'two', state: 'draining' });
    await seesHosts(one!, { two: 'draining' });
    const up = await two!.post('/jobs', { action: 'up', workspace: 'auto', topology: topologyThat() });
    expect([up.status, up.json.host]).toEqual([202, 'one']);
    expectProblem(
      await two!.post('/jobs', { action: 'up', workspace: 'auto', topology: topologyThat(), host: 'two' }),
      503,
      'host-unavailable',
    );
    expect((await two!.post('/hosts/two/drain', { drain: false })).json).toMatchObject({ state: 'up' });
    expectProblem(await one!.request('/hosts/two', { method: 'DELETE' }), 409, 'conflict');
  });
});
