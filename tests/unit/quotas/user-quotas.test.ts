/** When something fits into the quotas of a user, and the words of a refusal. */
import { describe, expect, test } from '@jest/globals';
import type { Action } from '../../../src/labs/model/actions.ts';
import { courses, OtherHosts } from './course.ts';

const course = courses();
const refusedFor = (resource: string) => ({
  code: 'over-quota',
  extra: { quota: expect.objectContaining({ resource }) },
});

describe('a start', () => {
  test.each([
    [{ sue: { labs: 1 } }, 'sue is 1 lab: 1 used, 0 left, 1 more needed; take a lab down, or ask'],
    [{ operators: { labs: 1 } }, 'sue is 1 lab: 1 used'],
    [
      { together: { nodes: 6 } },
      'the group course is 6 nodes: 4 used, 2 left, 4 more needed; take a lab down, or start a smaller one, or ask',
    ],
    [
      { server: { jobs: 1 } },
      'this server is 1 waiting or running job: 1 used, 0 left, 1 more needed; wait for a job or cancel one, or ask',
    ],
  ])('beyond %j is refused, and counted', async (given, words) => {
    const { quotas, store, submit } = await course(given);
    await submit('sue', { nodeCount: 4 });
    await expect(submit('sue', { nodeCount: 4 })).rejects.toMatchObject({
      code: 'over-quota',
      message: expect.stringContaining(`the quota of ${words}`),
    });
    expect(store.unfinished()).toHaveLength(1);
    expect(Object.values(quotas.refused).reduce((sum, count) => sum + count)).toBe(1);
  });

  test('up to the limit fits', async () => {
    const { submit } = await course({ sue: { labs: 2, nodes: 7, jobs: 2 } });
    await submit('sue', { nodeCount: 3 });
    await submit('sue', { nodeCount: 4 });
  });

  test('of an unknown number of nodes fits into no limit, but anew in its lab', async () => {
    const { now, submit } = await course({ sue: { nodes: 100 } });
    await expect(submit('sue', { nodeCount: null })).rejects.toMatchObject({
      message: expect.stringContaining('an unknown number more needed'),
    });
    now.labs = [{ id: 'default', directory: '/labs/x', owner: 'sue', nodes: 60 }];
    await expect(submit('sue', { workdir: '/labs/x', nodeCount: null })).rejects.toMatchObject(
      refusedFor('nodes'),
    );
    await submit('sue', { workdir: '/labs/x', nodeCount: null, action: 'restart' });
    // One that is not on record yet.
    await submit('sue', { workdir: '/labs/y', nodeCount: 40 });
    await submit('sue', { workdir: '/labs/y', nodeCount: null, action: 'restart' });
  });

  test('in the directory of a lab of the user needs what it is larger, and no second lab', async () => {
    const { now, submit } = await course({ sue: { labs: 1, nodes: 6 } });
    now.labs = [{ id: 'default', directory: '/labs/x', owner: 'sue', nodes: 4 }];
    await expect(submit('sue', { workdir: '/labs/x', nodeCount: 7 })).rejects.toMatchObject({
      extra: { quota: expect.objectContaining({ resource: 'nodes', used: 4, wanted: 3, left: 2 }) },
    });
    await submit('sue', { workdir: '/labs/x', nodeCount: 6 });
  });

  test('anew of the lab of another user needs nothing, but behind a down all of it', async () => {
    const { now, submit, end } = await course({ operators: { labs: 0 }, sue: { labs: 1 } });
    const there = { workdir: '/labs/x', nodeCount: 1 };
    now.labs = [{ id: 'default', directory: '/labs/x', owner: 'sue', nodes: 1 }];
    await submit('sam', { workdir: '/labs/y', action: 'down' });
    await end(await submit('sam', { ...there, action: 'restart' }));
    await expect(submit('sam', { ...there, action: 'up' })).rejects.toMatchObject(refusedFor('labs'));
    await expect(submit('sam', { workdir: '/labs/y', action: 'restart' })).rejects.toMatchObject(
      refusedFor('labs'),
    );
    await submit('sam', { ...there, action: 'down' });
    await expect(submit('sam', { ...there, action: 'restart' })).rejects.toMatchObject(refusedFor('labs'));
  });
});

test('a refusal has the names of some things of the user, and how many there are', async () => {
  const { now, quotas, submit } = await course({ sue: { labs: 1, jobs: 1, workspaceBytes: 2048 } });
  const job = await submit('sue');
  now.labs = [
    { id: 'ours', directory: job.workdir, owner: 'sue', nodes: 1 },
    { id: 'theirs', directory: '/labs/x', owner: 'sam', nodes: 1 },
  ];
  await submit('sam');
  const refusal = (yours: readonly string[], yourCount = yours.length) => ({
    extra: { quota: expect.objectContaining({ kind: 'user', name: 'sue', yours, yourCount }) },
  });
  await expect(submit('sue')).rejects.toMatchObject(refusal(['ours']));
  await expect(submit('sue', { action: 'validate' })).rejects.toMatchObject(refusal([job.id]));
  const names = Array.from({ length: 30 }, (_, at) => `w${at}`);
  now.workspaces = {
    other: { owner: 'sam', bytes: 1 },
    ...Object.fromEntries(names.map((name) => [name, { owner: 'sue', bytes: 100 }])),
  };
  const problem = (() => {
    try {
      return quotas.assertWithinQuota('sue', 0, 1);
    } catch (error) {
      return error;
    }
  })();
  expect(problem).toMatchObject({
    message: expect.stringContaining(
      'the quota of sue is 2 KiB in workspaces: 2.9 KiB used, 0 bytes left, 1 bytes more needed; remove files',
    ),
    ...refusal(names.slice(0, 20), 30),
  });
});

describe('a job', () => {
  test('that takes a lab down is always accepted, and its dry run is one like others', async () => {
    const { submit } = await course({ sue: { jobs: 0 } });
    await submit('sue', { action: 'down' });
    for (const wanted of [{ action: 'down', request: { dryRun: true } }, { action: 'validate' }] as const)
      await expect(submit('sue', wanted)).rejects.toMatchObject(refusedFor('jobs'));
  });

  test('that starts no lab needs none', async () => {
    const { submit } = await course({ sue: { labs: 0, nodes: 0 } });
    await submit('sue', { action: 'validate' });
    await submit('sue', { action: 'up', request: { dryRun: true } });
    await expect(submit('sue')).rejects.toMatchObject(refusedFor('labs'));
  });

  test('needs no room for what a lower limit leaves none of', async () => {
    const { now, submit } = await course({ sue: { labs: 1, nodes: 1, jobs: 9 } });
    now.labs = ['a', 'b'].map((id) => ({ id, directory: `/labs/${id}`, owner: 'sue', nodes: 5 }));
    await submit('sue', { action: 'validate' });
    await submit('sue', { workdir: '/labs/a', action: 'restart', nodeCount: 5 });
  });

  test('is held against the limits at the time of its record', async () => {
    const { quotas, use, store } = await course({ sue: { jobs: 1 } });
    const job = { action: 'validate', workdir: '/labs/x', requestedBy: 'sue', nodeCount: null } as const;
    const user = { name: 'sue', role: 'operator' } as const;
    const record = await quotas.ofJobs(user).check({ ...job, isDryRun: false });
    use({ sue: { jobs: 0 } });
    await expect(record(async () => Promise.resolve())).rejects.toMatchObject(refusedFor('jobs'));
    use({});
    expect(await record(async () => Promise.resolve('recorded'))).toBe('recorded');
    expect(store.unfinished()).toEqual([]);
  });
});

test('jobs that come together fit all, or none of them', async () => {
  const { now, quotas, submit } = await course({
    together: { labs: 3, nodes: 12, jobs: 4, workspaceBytes: 90 },
  });
  await submit('sam', { nodeCount: 2 });
  now.workspaces = { w: { owner: 'sue', bytes: 50 } };
  const check = async (actions: readonly Action[], nodeCount: number, workspaceBytes: number) =>
    quotas.ofJobs({ name: 'sue', role: 'operator' }).checkAll({ actions, nodeCount, workspaceBytes });
  await check(['down', 'up', 'up'], 5, 40);
  await expect(check(['up', 'up', 'up'], 1, 0)).rejects.toMatchObject(refusedFor('labs'));
  await expect(check(['up', 'up'], 6, 0)).rejects.toMatchObject(refusedFor('nodes'));
  await expect(check(['up', 'down', 'down', 'down'], 1, 0)).rejects.toMatchObject(refusedFor('jobs'));
  await expect(check([], 0, 41)).rejects.toMatchObject(refusedFor('workspaceBytes'));
  now.hosts = new OtherHosts();
  now.hosts.has('sam', { labs: 1 });
  await expect(check(['up', 'up'], 1, 0)).rejects.toMatchObject(refusedFor('labs'));
});

describe('in a cluster', () => {
  test('a job is held against what the other hosts have, also what they have taken meanwhile', async () => {
    const { now, submit, store } = await course({ together: { labs: 3 } });
    const hosts = (now.hosts = new OtherHosts());
    hosts.has('sam', { labs: 1 });
    hosts.meanwhile = () => {
      hosts.meanwhile = () => undefined;
      hosts.has('sue', { labs: 1 });
    };
    await submit('sue', { nodeCount: 2 });
    expect(hosts.told?.get('sue')).toMatchObject({ labs: 1, jobs: 1 });
    await expect(submit('sam')).rejects.toMatchObject(refusedFor('labs'));
    hosts.has('sue', {});
    hosts.meanwhile = () => hosts.has('sue', { labs: 1 });
    await expect(submit('sam')).rejects.toMatchObject(refusedFor('labs'));
    expect(store.unfinished()).toHaveLength(1);
  });

  test('the other hosts know of a job before its record, and the job no longer counts when that fails', async () => {
    const { now, quotas } = await course({ sue: { labs: 1, nodes: 9 } });
    now.hosts = new OtherHosts();
    const job = {
      action: 'up',
      workdir: '/labs/x',
      requestedBy: 'sue',
      nodeCount: 4,
      isDryRun: false,
    } as const;
    const record = await quotas.ofJobs({ name: 'sue', role: 'operator' }).check(job);
    const failing = record(async () => {
      expect(quotas.usage().get('sue')).toMatchObject({ labs: 1, nodes: 4, jobs: 1 });
      return Promise.reject(new Error('the disk is full'));
    });
    await expect(failing).rejects.toThrow('the disk is full');
    expect(now.hosts.told?.get('sue')).toMatchObject({ labs: 1, nodes: 4, jobs: 1 });
    expect(quotas.usage().get('sue')).toBeUndefined();
  });

  test('a job is refused when the others write on and on', async () => {
    const { now, submit, store } = await course({ sue: { labs: 9 } });
    const hosts = (now.hosts = new OtherHosts());
    hosts.meanwhile = () => hosts.has('ann', {});
    await expect(submit('sue')).rejects.toMatchObject({ code: 'cluster-unavailable', retryAfterSeconds: 1 });
    expect(store.unfinished()).toEqual([]);
  });

  test('what users have is on all hosts', async () => {
    const { now, quotas, submit, used } = await course({ sue: { workspaceBytes: 100 } });
    now.hosts = new OtherHosts();
    now.hosts.has('sue', { labs: 2, workspaceBytes: 80 });
    await submit('sue');
    expect(await used('sue')).toMatchObject({ labs: 3, jobs: 1, workspaceBytes: 80 });
    quotas.assertWithinQuota('sue', 0, 20);
    expect(() => quotas.assertWithinQuota('sue', 0, 21)).toThrow('80 bytes used');
  });
});

describe('a workspace', () => {
  test('is limited for an owner with a limit, who may be unknown to the users file', async () => {
    const { quotas, use } = await course({ operators: { workspaceBytes: 10 } });
    expect(['sue', 'guest', null].map((owner) => quotas.limitsWorkspacesOf(owner))).toEqual([
      true,
      true,
      false,
    ]);
    quotas.assertWithinQuota(null, 0, 100);
    expect(() => quotas.assertWithinQuota('guest', 0, 11)).toThrow('the quota of guest');
    use({ sue: { labs: 1 } });
    expect(quotas.limitsWorkspacesOf('sue')).toBe(false);
  });

  test('has room for what an upload has not taken yet', async () => {
    const { now, quotas } = await course({ sue: { workspaceBytes: 100 } });
    now.workspaces = { w: { owner: 'sue', bytes: 90 } };
    // 40 of them are those of this upload.
    quotas.assertWithinQuota('sue', 40, 50);
    expect(() => quotas.assertWithinQuota('sue', 40, 51)).toThrow('50 bytes used');
    quotas.assertWithinQuota('sam', 0, 1_000);
  });
});

test('a gift needs room that its giver does not share', async () => {
  const { now, quotas, use } = await course({ together: { labs: 1 } });
  const lab = { directory: '/labs/x' };
  now.labs = [{ id: 'default', ...lab, owner: 'sue', nodes: 0 }];
  now.workspaces = { w: { owner: 'sue', bytes: 20 }, own: { owner: 'sam', bytes: 90 } };
  quotas.assertMayGet('sam', lab);
  use({ operators: { labs: 0, workspaceBytes: 100 } });
  expect(() => quotas.assertMayGet('sam', lab)).toThrow('the quota of sam is 0 labs');
  expect(() => quotas.assertMayGet('sam', { workspace: 'w' })).toThrow(
    '90 bytes used, 10 bytes left, 20 bytes more',
  );
  use({ operators: { labs: 0, workspaceBytes: 110 } });
  quotas.assertMayGet('sam', { workspace: 'w' });
  // They have these already, or nothing is there.
  quotas.assertMayGet('sue', lab);
  quotas.assertMayGet('sam', { directory: '/labs/none' });
});

test('a report has the limits of the user, and of the others those that are set', async () => {
  const { now, quotas } = await course({
    server: { nodes: 90, labs: Infinity },
    operators: { labs: 4, leaseMs: 1_000 },
    together: { jobs: 7 },
  });
  const own = (resource: string, limit: number | null) => ({
    kind: 'user',
    name: 'sam',
    resource,
    used: 0,
    limit,
  });
  expect(await quotas.report({ name: 'sam' })).toEqual({
    quotas: [
      own('labs', 4),
      own('nodes', null),
      own('jobs', null),
      own('workspaceBytes', null),
      { kind: 'group', name: 'course', resource: 'jobs', used: 0, limit: 7 },
      { kind: 'server', name: null, resource: 'labs', used: 0, limit: null },
      { kind: 'server', name: null, resource: 'nodes', used: 0, limit: 90 },
    ],
    maxLeaseMs: 1_000,
  });
  expect(await quotas.report({ name: 'sam', role: 'admin' })).toMatchObject({ maxLeaseMs: null });
  now.roles = { sam: 'admin' };
  expect((await quotas.report({ name: 'sam' })).quotas[0]).toMatchObject({ resource: 'labs', limit: null });
});
