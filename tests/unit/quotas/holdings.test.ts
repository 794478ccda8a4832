/** The labs and jobs that count for a user. */
import { describe, expect, test } from '@jest/globals';
import { courses } from './course.ts';

const course = courses();
const none = { labs: 0, nodes: 0, jobs: 0, workspaceBytes: 0 };

describe('a lab', () => {
  test('counts from the acceptance of its job on, and afterwards as long as it is on record', async () => {
    const { now, submit, end, used } = await course();
    const job = await submit('sue', { nodeCount: 3 });
    expect(await used('sue')).toEqual({ ...none, labs: 1, nodes: 3, jobs: 1 });
    now.labs = [{ id: 'default', directory: job.workdir, owner: 'sue', nodes: 3 }];
    expect(await used('sue')).toEqual({ ...none, labs: 1, nodes: 3, jobs: 1 });
    await end(job);
    expect(await used('sue')).toEqual({ ...none, labs: 1, nodes: 3 });
    now.labs = [];
    expect(await used('sue')).toEqual(none);
    expect(await used('sam')).toEqual(none);
  });

  test('of a lab CLI without a record counts after its job until that lab CLI was asked', async () => {
    const { now, submit, end, used } = await course();
    now.isRecent = false;
    await end(await submit('sue', { cli: 'netlab', nodeCount: 2 }));
    const job = await submit('sue', { cli: 'containerlab', nodeCount: 4 });
    await end(job);
    await end(await submit('sue', { cli: 'containerlab', action: 'validate', nodeCount: null }));
    expect(await used('sue')).toEqual({ ...none, labs: 1, nodes: 4 });
    now.isRecent = true;
    expect(await used('sue')).toEqual(none);
  });

  test('that was started from a shell counts for its owner with the nodes that its lab CLI tells', async () => {
    const { now, used } = await course({ server: { labs: 9, nodes: 9 } });
    now.labs = [
      { id: 'a', directory: '/labs/a', owner: 'sue', nodes: 2 },
      { id: 'b', directory: '/labs/b', owner: null, nodes: 5 },
    ];
    expect(await used('sue')).toEqual({ ...none, labs: 1, nodes: 2 });
    expect(await used('sue', 'server')).toEqual({ labs: 2, nodes: 7 });
  });

  test('has the nodes of its topology where its lab CLI does not tell them, also after a restart of the service', async () => {
    const first = await course();
    const { now, submit, end } = first;
    now.tellsNodes = false;
    const job = await submit('sue', { nodeCount: 6 });
    now.labs = [{ id: 'default', directory: job.workdir, owner: 'sue', nodes: 6 }];
    await end(job);
    // Neither of them says how many nodes the lab has now.
    await end(await submit('sue', { workdir: job.workdir, nodeCount: 9 }), 'failed');
    await end(await submit('sue', { workdir: job.workdir, action: 'validate', nodeCount: null }));
    await end(await submit('sue', { nodeCount: 4 }));
    const queued = await submit('sue', { nodeCount: 2 });
    first.close();
    const second = await course({}, first);
    expect(await second.used('sue')).toEqual({ ...none, labs: 2, nodes: 8, jobs: 1 });
    await second.end(queued);
    now.labs = [];
    expect(await second.used('sue')).toEqual(none);
    second.close();
  });

  test('that starts anew in its directory has the nodes of its new topology once the old one is gone', async () => {
    const { now, submit, end, used } = await course();
    now.tellsNodes = false;
    const job = await submit('sue', { nodeCount: 6 });
    await end(job, 'failed');
    expect(await used('sue')).toEqual(none);
    now.labs = [{ id: 'default', directory: job.workdir, owner: 'sue', nodes: 2 }];
    expect(await used('sue')).toEqual({ ...none, labs: 1 });
  });

  test('that a job only pretends to start is none, and its job counts', async () => {
    const { submit, used } = await course();
    await submit('sue', { request: { dryRun: true }, nodeCount: 7 });
    await submit('sue', { action: 'create', nodeCount: 7 });
    expect(await used('sue')).toEqual({ ...none, jobs: 2 });
  });

  test('stays that of its owner while another user restarts it, and becomes theirs behind a down', async () => {
    const { now, store, submit, end, used } = await course();
    const lab = { id: 'default', directory: '/labs/x', owner: 'sue', nodes: 3 };
    now.labs = [lab];
    const restart = await submit('sam', { action: 'restart', workdir: lab.directory, nodeCount: 3 });
    expect(await used('sue')).toEqual({ ...none, labs: 1, nodes: 3 });
    expect(await used('sam')).toEqual({ ...none, jobs: 1 });
    // In the middle of it.
    await store.update(restart.id, (job) => ({ ...job, state: 'running', startedAt: job.createdAt }));
    now.labs = [];
    now.owners = { [lab.directory]: 'sue' };
    expect(await used('sue')).toEqual({ ...none, labs: 1, nodes: 3 });
    now.labs = [lab];
    await store.update(restart.id, (job) => ({ ...job, state: 'success', finishedAt: job.createdAt }));
    const down = await submit('sam', { action: 'down', workdir: lab.directory, nodeCount: null });
    const second = await submit('sam', { action: 'restart', workdir: lab.directory, nodeCount: 3 });
    expect(await used('sam')).toEqual({ ...none, labs: 1, nodes: 3, jobs: 2 });
    now.labs = [];
    await end(down);
    expect(await used('sam')).toEqual({ ...none, labs: 1, nodes: 3, jobs: 1 });
    expect(await used('sue')).toEqual(none);
    await end(second);
  });

  test('that a job replaces and the one that takes its place both count', async () => {
    const { now, submit, used } = await course();
    now.labs = [{ id: 'default', directory: '/labs/x', owner: 'sue', nodes: 3 }];
    const up = await submit('sam', { workdir: '/labs/x', nodeCount: 2 });
    await submit('sam', { workdir: '/labs/x', action: 'down', nodeCount: null, replacedBy: up.id });
    expect(await used('sue')).toMatchObject({ labs: 1 });
    expect(await used('sam')).toMatchObject({ labs: 1, jobs: 1 });
  });
});

test('jobs that the service submits to take labs away count for no user', async () => {
  const { submit, used } = await course();
  const job = await submit('sue', { action: 'validate' });
  for (const field of ['cleanupOf', 'leaseOf', 'replacedBy'])
    await submit('sue', { action: 'down', [field]: job.id });
  expect(await used('sue')).toEqual({ ...none, jobs: 1 });
});

test('labs that cannot be read are not counted as none', async () => {
  const { now, submit, quotas, use } = await course({ sue: { labs: 2 } });
  now.failure = new Error('its list is damaged');
  const unknown = { code: 'lab-cli-failed', retryAfterSeconds: 10, cause: now.failure };
  await expect(submit('sue')).rejects.toMatchObject(unknown);
  await expect(quotas.report({ name: 'sue' })).rejects.toMatchObject(unknown);
  const wanted = { actions: ['up'] as const, nodeCount: 1, workspaceBytes: 0 };
  const { checkAll } = quotas.ofJobs({ name: 'sue', role: 'operator' });
  await expect(checkAll(wanted)).rejects.toMatchObject(unknown);
  // These need no count of labs.
  use({ sue: { jobs: 1 } });
  await checkAll(wanted);
  await submit('sue');
});
