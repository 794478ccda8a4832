/** Quotas of the users file: a course whose students share a server. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { expectProblem } from '../support/problem.ts';
import { makeGround, startService, topologyThat, type RunningService } from '../support/service.ts';
import { usersFile, usersWithTokens } from '../support/users-file.ts';

const { users, as } = usersWithTokens({
  ann: 'admin',
  tom: 'operator',
  sue: 'operator',
  sam: 'operator',
  vic: 'viewer',
});

type Quotas = Readonly<Record<string, unknown>>;

interface Given {
  readonly server?: Quotas;
  readonly roles?: Quotas;
  readonly each?: Quotas;
  readonly together?: Quotas;
  readonly sue?: Quotas;
}

function fileOf({ server = {}, roles = {}, each = {}, together = {}, sue = {} }: Given): string {
  return JSON.stringify({
    users: users.map((user) => ({ ...user, ...(user.name === 'sue' && { quotas: sue }) })),
    groups: [{ name: 'course', members: ['sue', 'sam'], leaders: ['tom'], quotas: { each, together } }],
    quotas: { server, roles },
  });
}

const ground = makeGround();
const file = usersFile(ground.root, fileOf({}));
// A start is known to have an owner, and its nodes are read again at once.
const env = { FAKE_LAB_LOGS: '1', LAB_API_STATUS_MAX_AGE: '1ms', LAB_API_USERS_FILE: file };
let service: RunningService;
let nextId = 10;

beforeAll(async () => {
  service = await startService({ ground, env });
});

const request = async (user: string, method: string, target: string, body?: unknown) =>
  service.request(target, { method, headers: as(user), ...(body !== undefined && { body }) });

const use = async (given: Given): Promise<void> => {
  writeFileSync(file, fileOf(given));
  expect((await request('ann', 'POST', '/reload')).status).toBe(200);
};

/** The body of a start in a workspace of its own. */
const start = (more: object = {}) => {
  nextId += 1;
  return { action: 'up', workspace: `w${nextId}`, topology: topologyThat(), multilabId: nextId, ...more };
};
const submit = async (user: string, body: object) => request(user, 'POST', '/jobs', body);
const run = async (user: string, body: object) => {
  const { status, json } = await submit(user, body);
  expect([status, json.code]).toEqual([202, undefined]);
  const job = (await request(user, 'GET', `/jobs/${json.id}?wait=60`)).json;
  expect([job.state, job.error]).toEqual(['success', null]);
  return job;
};
const takeAllDown = async (): Promise<void> => {
  for (const { workdir } of (await request('ann', 'GET', '/labs')).json.labs)
    await run('ann', { action: 'down', workdir });
};
const usedBy = async (user: string, query = '') => {
  const { json } = await request(user, 'GET', `/quotas${query}`);
  return Object.fromEntries(
    (json.quotas as { kind: string; resource: string; used: number; limit: number | null }[]).map(
      ({ kind, resource, used, limit }) => [`${kind} ${resource}`, [used, limit]],
    ),
  );
};

const withNodes = (nodes: string): string => topologyThat().replace(/^nodes: .*$/m, `nodes: ${nodes}`);
/** As the fake lab CLI reports each lab. */
const fourNodes = withNodes('[r1, r2, h1, h2]');

describe('labs', () => {
  test.each([
    [
      'of the user',
      { sue: { labs: 3 }, each: { labs: 1 }, roles: { operator: { labs: 1 } } },
      'sue is 3 labs',
    ],
    ['of each member of a group', { each: { labs: 3 }, roles: { operator: { labs: 1 } } }, 'sue is 3 labs'],
    ['of the role', { roles: { operator: { labs: 3 }, viewer: { labs: 9 } } }, 'sue is 3 labs'],
    [
      'of the group together',
      { sue: { labs: 'unlimited' }, together: { labs: 3 } },
      'the group course is 3 labs',
    ],
    ['of the server', { server: { labs: 3 } }, 'this server is 3 labs'],
  ] as const)(
    'of ten requests at once, as many are accepted as the limit %s allows',
    async (_whose, given, words) => {
      await use(given);
      const replies = await Promise.all(Array.from({ length: 10 }, async () => submit('sue', start())));
      const refused = replies.filter(({ status }) => status === 403);
      expect([replies.filter(({ status }) => status === 202).length, refused.length]).toEqual([3, 7]);
      for (const reply of refused) {
        expectProblem(reply, 403, 'over-quota');
        expect(reply.json.detail).toBe(
          `the quota of ${words}: 3 used, 0 left, 1 more needed; take a lab down, or ask an administrator for more`,
        );
        expect(reply.json.quota).toMatchObject({
          resource: 'labs',
          limit: 3,
          used: 3,
          wanted: 1,
          left: 0,
          yourCount: 3,
        });
      }
      for (const { json } of replies.filter(({ status }) => status === 202))
        await request('sue', 'GET', `/jobs/${json.id}?wait=60`);
      expect((await usedBy('sue'))['user labs']?.[0]).toBe(3);
      // A lab of another directory still does not fit; when one is down, it does.
      expectProblem(await submit('sue', start()), 403, 'over-quota');
      const [lab] = (await request('sue', 'GET', '/labs')).json.labs;
      await run('sue', { action: 'down', workdir: lab.workdir });
      await run('sue', start());
      await takeAllDown();
    },
  );

  test('are counted over a restart of the service, also while their jobs run', async () => {
    const own = makeGround();
    const quotas = fileOf({ sue: { labs: 2 } });
    const all = { ...env, LAB_API_USERS_FILE: usersFile(own.root, quotas) };
    const before = await startService({ ground: own, env: all });
    const post = async (at: RunningService, body: object) =>
      at.request('/jobs', { method: 'POST', headers: as('sue'), body });
    const up = await post(before, start());
    await before.request(`/jobs/${up.json.id}?wait=60`, { headers: as('sue') });
    const slow = await post(before, start({ topology: topologyThat('wait_for gate') }));
    await own.waitsFor('gate');
    await before.stop();
    const after = await startService({ ground: own, env: all });
    expectProblem(await post(after, start()), 403, 'over-quota');
    own.let('gate');
    await after.request(`/jobs/${slow.json.id}?wait=60`, { headers: as('sue') });
    expectProblem(await post(after, start()), 403, 'over-quota');
  });

  test('that failed to start and left nothing are free', async () => {
    await use({ sue: { labs: 1 } });
    const failed = await submit('sue', start({ topology: topologyThat('exit 1') }));
    expect((await request('sue', 'GET', `/jobs/${failed.json.id}?wait=60`)).json.state).toBe('failed');
    await run('sue', start());
    await takeAllDown();
  });

  test('that are started again in their directory need nothing more', async () => {
    await use({ sue: { labs: 1, nodes: 4 } });
    const { workspace } = await run('sue', start({ topology: fourNodes }));
    await run('sue', { action: 'restart', workspace });
    expect((await usedBy('sue'))['user labs']).toEqual([1, 1]);
    await takeAllDown();
  });

  test('of a restart that comes behind a down count for the user', async () => {
    await use({});
    const { workspace } = await run('sue', start());
    expect(
      (
        await request('sue', 'PUT', `/workspaces/${workspace}/shares`, {
          shares: [{ kind: 'user', name: 'sam', as: 'operator' }],
        })
      ).status,
    ).toBe(200);
    await use({ each: { labs: 0 }, sue: { labs: 1 } });
    // The lab stays that of sue.
    await run('sam', { action: 'restart', workspace });
    const running = await submit('sam', { action: 'validate', workspace });
    expect(running.status).toBe(202);
    const down = await submit('sam', { action: 'down', workspace });
    expect(down.status).toBe(202);
    expectProblem(await submit('sam', { action: 'restart', workspace }), 403, 'over-quota');
    await request('sam', 'GET', `/jobs/${down.json.id}?wait=60`);
    await takeAllDown();
  });

  test('that are a gift need room', async () => {
    await use({ each: { labs: 1 }, together: { labs: 2 } });
    const { instance } = await run('sue', start());
    const { workspace } = await run('sam', start());
    const give = async (user: string) => request(user, 'PUT', `/labs/${instance}/owner`, { owner: 'sam' });
    expectProblem(await give('sue'), 403, 'over-quota');
    await run('sam', { action: 'down', workspace });
    expect((await give('sue')).status).toBe(200);
    expect((await usedBy('sam'))['user labs']).toEqual([1, 1]);
    expect((await usedBy('sue'))['user labs']).toEqual([0, 1]);
    await run('sue', start());
    // An administrator decides.
    const [lab] = (await request('sue', 'GET', '/labs')).json.labs.filter(
      ({ owner }: { owner: string }) => owner === 'sue',
    );
    expect((await request('ann', 'PUT', `/labs/${lab.id}/owner`, { owner: 'sam' })).status).toBe(200);
    expect((await usedBy('sam'))['user labs']).toEqual([2, 1]);
    await takeAllDown();
  });
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
  const upload = async (user: string, target: string, bytes: number) =>
    service.request(`/workspaces/${target}`, {
      method: 'PUT',
      headers: { ...as(user), 'Content-Type': 'application/octet-stream' },
      body: 'x'.repeat(bytes),
    });

  test('files fit, also when they come at once, and a smaller one replaces a larger one', async () => {
    await use({ sue: { workspaces: '100kB' } });
    expect((await request('sue', 'PUT', '/workspaces/files')).status).toBe(201);
    const before = (await usedBy('sue'))['user workspaceBytes']?.[0] ?? 0;
    const replies = await Promise.all(
      [1, 2, 3, 4].map(async (at) => upload('sue', `files/files/${at}`, 30_000)),
    );
    expect(replies.filter(({ status }) => status === 201).length).toBe(
      Math.floor((100_000 - before) / 30_000),
    );
    for (const reply of replies.filter(({ status }) => status !== 201))
      expectProblem(reply, 403, 'over-quota');
    expectProblem(await upload('sue', 'files/files/5', 60_000), 403, 'over-quota');
    await use({ sue: { workspaces: '10kB' } });
    expectProblem(await upload('sue', 'files/files/5', 1), 403, 'over-quota');
    expect((await upload('tom', 'files/files/5', 1)).status).toBe(403);
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
