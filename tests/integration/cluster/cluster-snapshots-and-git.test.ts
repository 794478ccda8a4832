/** Snapshots, and labs from Git, asked for on one host of a cluster and done by the other one. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { seesHosts, startHost, type ClusterHost } from '../../support/cluster.ts';
import { gitMissing, startGitServer, type GitServer } from '../../support/git-server.ts';
import { expectProblem } from '../../support/problem.ts';
import { missingRedis, startRedis } from '../../support/redis.ts';
import { testUnless } from '../../support/requirements.ts';
import { topologyThat } from '../../support/service.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const name = missingRedis === undefined ? 'a cluster' : `a cluster (skipped: ${missingRedis})`;
const root = temporaryDirectory();

(missingRedis === undefined ? describe : describe.skip)(name, () => {
  let git: GitServer | undefined;
  let commit = '';
  let [one, two]: ClusterHost[] = [];

  beforeAll(async () => {
    const redis = await startRedis();
    if (gitMissing === undefined) {
      git = await startGitServer(root);
      commit = git.repository('course.git').commit({ 'labs/ospf/topology.yml': topologyThat() });
    }
    const env = { ...git?.env, FAKE_LAB_LOGS: '1', LAB_API_STATUS_MAX_AGE: '1ms' };
    [one, two] = [await startHost(redis, 'one', { env }), await startHost(redis, 'two', { env })];
    await seesHosts(one, { one: 'up', two: 'up' });
  });
  afterAll(async () => {
    for (const host of [one, two]) await host?.stop();
  });

  const request = async (method: string, target: string, body?: unknown) =>
    one!.request(target, { method, ...(body !== undefined && { body }) });
  /** Asked on the host that has nothing of it. */
  const ended = async (id: string) => (await one!.get(`/jobs/${id}?wait=60`)).json;

  test('keeps, lists, shares, compares, restores and removes snapshots of the other host', async () => {
    const up = { action: 'up', workspace: 'exercise', topology: topologyThat(), multilabId: 7, host: 'two' };
    expect(await ended((await request('POST', '/jobs', up)).json.id)).toMatchObject({
      state: 'success',
      host: 'two',
    });
    for (const stage of ['stage-1', 'stage-2']) {
      const kept = await request('POST', '/labs/7/snapshots', { name: stage });
      expect([kept.status, kept.json]).toMatchObject([201, { name: stage, host: 'two' }]);
    }
    const { json } = await one!.get('/snapshots');
    expect(json).toMatchObject({ snapshots: [{ name: 'stage-2' }, { name: 'stage-1' }] });
    expect((await one!.get('/labs/7/diff')).json).toMatchObject({ before: { snapshot: 'stage-2' } });
    expect((await one!.get('/snapshots/stage-1/diff?with=stage-2&host=two')).json).toMatchObject({
      differs: false,
    });
    const shares = [{ kind: 'user', name: 'sue', as: 'viewer' }];
    expect((await request('PUT', '/snapshots/stage-1/shares?host=two', { shares })).status).toBe(200);
    expect((await two!.get('/snapshots/stage-1')).json).toMatchObject({ shares });
    expect((await one!.get('/snapshots/stage-1/files?host=two')).status).toBe(200);
    // It is the host that has the snapshot on which it is started.
    expectProblem(await one!.get('/snapshots/stage-1'), 404, 'snapshot-not-found');
    const restored = await request('POST', '/snapshots/stage-1/restore?host=two', {
      workspace: 'again',
      multilabId: 8,
    });
    expect(restored.status).toBe(202);
    const [job] = restored.json.labs[0].jobs;
    expect(await ended(job.id)).toMatchObject({ state: 'success', host: 'two', workspace: 'again' });
    expect((await one!.get('/labs/8/diff')).json).toMatchObject({ before: { snapshot: 'stage-1' } });
    for (const stage of ['stage-1', 'stage-2'])
      expect((await request('DELETE', `/snapshots/${stage}?host=two`)).status).toBe(204);
    expect((await one!.get('/snapshots')).json.snapshots).toEqual([]);
  });

  const fromGit = testUnless(gitMissing);
  fromGit.it(`starts labs from Git on the other host, and again${fromGit.because}`, async () => {
    const source = { git: `${git?.url}course.git`, path: 'labs/ospf' };
    const start = async (more: object) => request('POST', '/jobs', { action: 'up', source, ...more });
    const known = { git: source.git, ref: null, path: 'labs/ospf', commit };
    const first = await start({ workspace: 'from-git', multilabId: 11, host: 'two' });
    expect([first.status, first.json.source]).toEqual([202, known]);
    expect(await ended(first.json.id)).toMatchObject({ state: 'success', host: 'two', source: known });
    expect((await one!.get('/workspaces/from-git')).json).toMatchObject({ source: known });
    expect((await one!.get('/labs/11')).json).toMatchObject({ source: known, host: 'two' });
    expect(
      await ended((await request('POST', '/jobs', { action: 'down', workspace: 'from-git' })).json.id),
    ).toMatchObject({ state: 'success' });
    // The host that has the workspace gets its newer files.
    const again = await start({ workspace: 'from-git', multilabId: 11 });
    expect(await ended(again.json.id)).toMatchObject({ state: 'success', host: 'two' });
    const fresh = await start({ multilabId: 'auto', host: 'two' });
    expect(await ended(fresh.json.id)).toMatchObject({
      state: 'success',
      host: 'two',
      workspace: fresh.json.id,
    });
    expectProblem(
      await start({ workspace: 'none', host: 'two', source: { ...source, ref: 'nothing' } }),
      404,
      'source-not-found',
    );
    expectProblem(await one!.get('/workspaces/none'), 404, 'workspace-not-found');
  });
});
