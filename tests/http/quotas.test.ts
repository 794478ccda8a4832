/** Quotas of the users file: nodes, jobs, workspaces and leases, and what users see of them. */
import { describe, expect, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expectProblem } from '../support/problem.ts';
import { fourNodes, withNodes, quotaCourse } from '../support/quota-course.ts';
import { samplesOf } from '../support/scraped.ts';
import { startService, topologyThat } from '../support/service.ts';

const { as, ground, service, request, use, start, submit, run, takeAllDown, usedBy } = quotaCourse();

const upload = async (user: string, target: string, body: string) =>
  service().request(`/workspaces/${target}`, {
    method: 'PUT',
    headers: { ...as(user), 'Content-Type': 'application/octet-stream' },
    body,
  });

describe('nodes', () => {
  test('are those of the topology before a start, and those of the lab after it', async () => {
    await use({ sue: { nodes: 6 } });
    const first = await run('sue', start({ topology: fourNodes }));
    expect((await usedBy('sue'))['user nodes']).toEqual([4, 6]);
    const refused = await submit('sue', start({ topology: withNodes('{ a: {}, b: {}, c: {} }') }));
    expectProblem(refused, 403, 'over-quota');
    expect(refused.json).toMatchObject({
      detail: expect.stringContaining('the quota of sue is 6 nodes: 4 used, 2 left, 3 more needed'),
      quota: { yours: [first.instance] },
    });
    const { text } = await request('ann', 'GET', '/metrics');
    const refusals = samplesOf(text).filter(({ name }) => name === 'lab_api_quota_refusals_total');
    expect(refusals.map(({ labels, value }) => [labels['resource'], value])).toEqual([
      ['labs', 0],
      ['nodes', 1],
      ['jobs', 0],
      ['workspaceBytes', 0],
    ]);
    // Topologies whose nodes the service cannot count.
    for (const topology of ['nodes: *unknown', `${withNodes('[a]')}# ${'a'.repeat(140_000)}`]) {
      const uncounted = await submit('sue', start({ topology }));
      expectProblem(uncounted, 403, 'over-quota');
      expect(uncounted.json).toMatchObject({
        detail: expect.stringContaining('an unknown number more needed'),
        quota: { wanted: null },
      });
    }
    await run('sue', start({ topology: withNodes('[a, b]') }));
    await takeAllDown();
  });

  test('of a lab that starts from its snapshot are those of the snapshot', async () => {
    await use({ sue: { nodes: 4 } });
    const { workspace } = await run('sue', start({ topology: fourNodes }));
    await run('sue', { action: 'down', workspace });
    const put = async (nodes: object) =>
      upload('sue', `${workspace}/files/netlab.snapshot.pickle`, JSON.stringify({ nodes }));
    await put({ a: {}, b: {}, c: {}, d: {}, e: {} });
    const starts = [
      { action: 'up', workspace, snapshot: true },
      { action: 'restart', workspace },
    ];
    for (const body of starts) {
      const refused = await submit('sue', body);
      expectProblem(refused, 403, 'over-quota');
      expect(refused.json.quota).toMatchObject({ resource: 'nodes', wanted: 5 });
    }
    await upload('sue', `${workspace}/files/netlab.snapshot.pickle`, 'no snapshot');
    for (const body of starts) {
      const refused = await submit('sue', body);
      expectProblem(refused, 403, 'over-quota');
      expect(refused.json.quota).toMatchObject({ resource: 'nodes', wanted: null });
    }
    await put({ a: {}, b: {}, c: {}, d: {} });
    await run('sue', { action: 'up', workspace, snapshot: true });
    await takeAllDown();
  });

  test('of a file that is too long to be read are unknown', async () => {
    await use({ sue: { nodes: 4 } });
    expect((await request('sue', 'PUT', '/workspaces/long')).status).toBe(201);
    await upload('sue', 'long/files/topology.yml', `${fourNodes}# ${'a'.repeat(5_000_000)}`);
    const refused = await submit('sue', { action: 'up', workspace: 'long' });
    expectProblem(refused, 403, 'over-quota');
    expect(refused.json.quota).toMatchObject({ resource: 'nodes', wanted: null });
    expect((await request('sue', 'DELETE', '/workspaces/long')).status).toBe(204);
  });
});

describe('jobs', () => {
  test('that wait or run count, and those that take a lab down are always accepted', async () => {
    await use({ sue: { jobs: 1 } });
    const { workspace } = await run('sue', start());
    const other = start({ action: 'create', topology: topologyThat('wait_for later') });
    const slow = await submit('sue', other);
    await ground.waitsFor('later');
    expectProblem(await submit('sue', start()), 403, 'over-quota');
    await run('sue', { action: 'down', workspace });
    ground.let('later');
    await request('sue', 'GET', `/jobs/${slow.json.id}?wait=60`);
    await run('sue', start());
    await takeAllDown();
  });
});

describe('workspaces', () => {
  test('files fit, also when they come at once, and a smaller one replaces a larger one', async () => {
    await use({ sue: { workspaces: '100kB' } });
    expect((await request('sue', 'PUT', '/workspaces/files')).status).toBe(201);
    const before = (await usedBy('sue'))['user workspaceBytes']?.[0] ?? 0;
    const replies = await Promise.all(
      [1, 2, 3, 4].map(async (at) => upload('sue', `files/files/${at}`, 'x'.repeat(30_000))),
    );
    expect(replies.filter(({ status }) => status === 201).length).toBe(
      Math.floor((100_000 - before) / 30_000),
    );
    for (const reply of replies.filter(({ status }) => status !== 201))
      expectProblem(reply, 403, 'over-quota');
    expectProblem(await upload('sue', 'files/files/5', 'x'.repeat(60_000)), 403, 'over-quota');
    await use({ sue: { workspaces: '10kB' } });
    const template = path.join(ground.makeWorkdir('template'), 'lab.yml');
    writeFileSync(template, topologyThat());
    const copied = await request('sue', 'PUT', `/workspaces/copied?template=${template}`);
    expectProblem(copied, 403, 'over-quota');
    expect((await request('ann', 'GET', '/workspaces/copied')).status).toBe(404);
    expectProblem(await upload('sue', 'files/files/5', 'x'.repeat(1)), 403, 'over-quota');
    expect((await upload('tom', 'files/files/5', 'x'.repeat(1))).json.quota).toBeDefined();
    const shares = [{ kind: 'user', name: 'sam', as: 'operator' }];
    expect((await request('sue', 'PUT', '/workspaces/files/shares', { shares })).status).toBe(200);
    const shared = await upload('sam', 'files/files/5', 'x');
    expectProblem(shared, 403, 'over-quota');
    expect(shared.json.quota).toBeUndefined();
    expect(shared.json.detail).not.toMatch(/\d/);
    expect((await request('sue', 'DELETE', '/workspaces/files')).status).toBe(204);
  });
});

describe('leases', () => {
  test('are no longer than the user may have', async () => {
    await use({ sue: { lease: '1h' }, roles: { operator: { lease: '8h' } } });
    const tooLong = await submit('sue', start({ ttlSeconds: 3601 }));
    expectProblem(tooLong, 400, 'invalid-request');
    expect(tooLong.json.detail).toBe('ttlSeconds: must not be over 3600 s (1h) from now, your quota');
    const { instance } = await run('sue', start());
    const lab = (await request('sue', 'GET', `/labs/${instance}`)).json;
    const leftMs = Date.parse(lab.expiresAt) - Date.now();
    expect(leftMs).toBeGreaterThan(0);
    expect(leftMs).toBeLessThanOrEqual(3_600_000);
    for (const body of [{ ttlSeconds: 7200 }, { expiresAt: null }])
      expectProblem(await request('sue', 'PATCH', `/labs/${instance}`, body), 400, 'invalid-request');
    expect((await request('ann', 'PATCH', `/labs/${instance}`, { ttlSeconds: 7200 })).status).toBe(200);
    await takeAllDown();
  });
});

describe('GET /quotas', () => {
  test('shows everything of the user, and the limits that the user shares', async () => {
    await use({ sue: { labs: 5 }, together: { jobs: 7 }, server: { nodes: 90 } });
    await run('sue', start());
    expect(await usedBy('sue')).toEqual({
      'user labs': [1, 5],
      'user nodes': [4, null],
      'user jobs': [0, null],
      'user workspaceBytes': [expect.any(Number), null],
      'group jobs': [0, 7],
      'server nodes': [4, 90],
    });
    expect(await usedBy('tom', '?user=sue')).toMatchObject({ 'user labs': [1, 5] });
    expect(await usedBy('ann', '?user=sue')).toMatchObject({ 'user labs': [1, 5] });
    expect(await usedBy('ann', '?user=nobody-there')).toMatchObject({ 'user labs': [0, null] });
    expectProblem(await request('sam', 'GET', '/quotas?user=sue'), 403, 'forbidden');
    expectProblem(await request('vic', 'GET', '/quotas?user=sue'), 403, 'forbidden');
    expect((await request('vic', 'GET', '/quotas?user=vic')).status).toBe(200);
    await takeAllDown();
  });

  test('has none on a server without users', async () => {
    const open = await startService();
    expect((await open.get('/quotas')).json).toEqual({ user: null, quotas: [], maxLeaseSeconds: null });
  });
});
