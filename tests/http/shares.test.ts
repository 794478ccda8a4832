/** Groups of the users file, and labs and workspaces that are shared: a course with a teacher. */
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { eventually } from '../support/eventually.ts';
import { EventReader } from '../support/event-reader.ts';
import { expectProblem, wrongFields } from '../support/problem.ts';
import { makeGround, startService, topologyThat, type RunningService } from '../support/service.ts';
import { courseRoles, usersFile, usersWithTokens } from '../support/users-file.ts';

const { users, as } = usersWithTokens(courseRoles);

const course = { name: 'course', members: ['sue', 'sam'], leaders: ['tom'] };
const team = { name: 'team', members: ['sam', 'vic'] };
// Each sees the own workspaces alone.
const fileOf = (groups: readonly object[]): string =>
  JSON.stringify({ users: users.map((user) => ({ ...user, workdirs: [] })), groups });

const env = { FAKE_LAB_LOGS: '1', LAB_API_STATUS_MAX_AGE: '1ms' };

describe.each(['shared', 'strict'] as const)('with LAB_API_OWNERSHIP=%s', (ownership) => {
  const ground = makeGround();
  const file = usersFile(ground.root, fileOf([course, team]));
  const all = { ...env, LAB_API_USERS_FILE: file, LAB_API_OWNERSHIP: ownership };
  let service: RunningService;
  let [nextId, workspace, lab] = [10, '', ''];

  const request = async (user: string, method: string, target: string, body?: unknown) =>
    service.request(target, { method, headers: as(user), ...(body !== undefined && { body }) });
  const statusOf = async (user: string, method: string, target: string, body?: unknown): Promise<number> =>
    (await request(user, method, target, body)).status;
  const run = async (user: string, body: object) => {
    const { status, json } = await request(user, 'POST', '/jobs', body);
    if (status !== 202) return json;
    return (await request(user, 'GET', `/jobs/${json.id}?wait=60`)).json;
  };
  const share = async (target: string, ...shares: readonly object[]) =>
    expect(await request('sue', 'PUT', `${target}/shares`, { shares })).toMatchObject({
      status: 200,
      json: { shares },
    });
  const use = async (groups: readonly object[]): Promise<void> => {
    writeFileSync(file, fileOf(groups));
    await service.request('/reload', { method: 'POST', headers: as('ann') });
  };

  beforeAll(async () => {
    service = await startService({ ground, env: all });
  });

  /** sue has a workspace with a lab in it. */
  beforeEach(async () => {
    nextId += 1;
    [workspace, lab] = [`of-sue-${nextId}`, String(nextId)];
    const up = { action: 'up', workspace, topology: topologyThat(), multilabId: nextId };
    expect(await run('sue', up)).toMatchObject({ state: 'success', requestedBy: 'sue' });
    expect(await statusOf('sue', 'PUT', `/workspaces/${workspace}/files/notes.txt`, 'hello')).toBe(201);
  });

  test('members have nothing of one another', async () => {
    for (const target of [
      `/labs/${lab}`,
      `/workspaces/${workspace}`,
      `/workspaces/${workspace}/files/notes.txt`,
    ])
      expect(await statusOf('sam', 'GET', target)).toBe(404);
    expect((await request('sam', 'GET', '/labs')).json.labs).toEqual([]);
    expect(await run('sam', { action: 'down', instance: lab })).toHaveProperty('code');
  });

  test('leaders have the things of the members as their own, but for giving them away', async () => {
    expect((await request('tom', 'GET', '/labs')).json.labs).toContainEqual(
      expect.objectContaining({ id: lab }),
    );
    const { json } = await request('tom', 'GET', `/labs/${lab}`);
    expect(json).toMatchObject({
      owner: 'sue',
      may: expect.arrayContaining(['down', 'restart', 'changeLab']),
    });
    expect(json.may).not.toContain('replaceLabShares');
    expect(await statusOf('tom', 'PUT', `/workspaces/${workspace}/files/notes.txt`, 'hello, sue')).toBe(200);
    expect(await run('tom', { action: 'restart', instance: lab })).toMatchObject({ state: 'success' });
    expect((await request('sue', 'GET', `/labs/${lab}`)).json).toMatchObject({ owner: 'sue' });
    for (const target of [`/labs/${lab}`, `/workspaces/${workspace}`])
      for (const [what, body] of [
        ['shares', { shares: [] }],
        ['owner', { owner: 'tom' }],
      ] as const)
        expectProblem(await request('tom', 'PUT', `${target}/${what}`, body), 403, 'forbidden');
  });

  test('a workspace that is shared for reading is read, with its lab and its jobs, and not changed', async () => {
    await share(
      `/workspaces/${workspace}`,
      { kind: 'user', name: 'sam', as: 'viewer' },
      { kind: 'group', name: 'team', as: 'viewer' },
    );
    for (const user of ['sam', 'vic']) {
      const { json } = await request(user, 'GET', `/workspaces/${workspace}`);
      expect(json).toMatchObject({
        owner: 'sue',
        shares: [
          { kind: 'user', name: 'sam' },
          { kind: 'group', name: 'team', as: 'viewer' },
        ],
      });
      expect(await request(user, 'GET', `/workspaces/${workspace}/files/notes.txt`)).toMatchObject({
        status: 200,
        text: 'hello',
      });
      expect((await request(user, 'GET', `/labs/${lab}`)).json).toMatchObject({ id: lab, may: [] });
      expect((await request(user, 'GET', '/jobs')).json.jobs).toMatchObject([
        { action: 'up', requestedBy: 'sue' },
      ]);
      expect(await statusOf(user, 'PUT', `/workspaces/${workspace}/files/notes.txt`, 'mine')).toBe(403);
      expect(await statusOf(user, 'DELETE', `/workspaces/${workspace}`)).toBe(403);
      expect(await statusOf(user, 'DELETE', `/labs/${lab}/faults`)).toBe(403);
    }
    const { workdir } = (await request('sue', 'GET', `/workspaces/${workspace}`)).json;
    for (const place of [{ instance: lab }, { workspace }, { workdir }])
      for (const action of ['down', 'up'])
        if (action === 'down' || !('instance' in place)) {
          const body = { action, ...place, ...(action === 'up' && { topology: topologyThat() }) };
          expect(await run('sam', body)).toMatchObject({ code: 'forbidden' });
        }
    // A topology is read from there, for a lab of their own.
    const topologyPath = `${workdir}/topology.yml`;
    writeFileSync(topologyPath, topologyThat());
    const own = { action: 'create', workspace: `of-sam-${nextId}`, topologyPath };
    expect(await run('sam', own)).toMatchObject({ state: 'success' });
  });

  test('a workspace that is shared for changes is changed, with its lab and its jobs', async () => {
    await share(`/workspaces/${workspace}`, { kind: 'group', name: 'team', as: 'operator' });
    expect(await statusOf('sam', 'PUT', `/workspaces/${workspace}/files/notes.txt`, 'ours')).toBe(200);
    expect(await run('sam', { action: 'restart', instance: lab })).toMatchObject({ state: 'success' });
    expect(await run('sam', { action: 'down', workspace })).toMatchObject({ state: 'success' });
    expect(
      await run('sam', { action: 'up', workspace, topology: topologyThat(), multilabId: nextId }),
    ).toMatchObject({
      state: 'success',
    });
    expect((await request('sue', 'GET', `/labs/${lab}`)).json).toMatchObject({ owner: 'sam' });
    // The role of a viewer allows no changes, whatever is shared.
    expect(await statusOf('vic', 'GET', `/workspaces/${workspace}`)).toBe(200);
    expect(await statusOf('vic', 'PUT', `/workspaces/${workspace}/files/notes.txt`, 'mine')).toBe(403);
    expect(await statusOf('sam', 'PUT', `/workspaces/${workspace}/shares`, { shares: [] })).toBe(403);
    expect(await statusOf('sam', 'PUT', `/workspaces/${workspace}/owner`, { owner: 'sam' })).toBe(403);
  });

  test('a lab that is shared is used without its workspace and without jobs, until it is taken down', async () => {
    await share(
      `/labs/${lab}`,
      { kind: 'user', name: 'sam', as: 'operator' },
      { kind: 'user', name: 'vic', as: 'viewer' },
    );
    expect((await request('vic', 'GET', `/labs/${lab}`)).json).toMatchObject({ may: [] });
    const { json } = await request('sam', 'GET', `/labs/${lab}`);
    expect(json).toMatchObject({ owner: 'sue', may: expect.arrayContaining(['changeLab', 'execInNodes']) });
    expect(json.may).not.toContain('down');
    expect(await statusOf('sam', 'DELETE', `/labs/${lab}/faults`)).toBe(204);
    expect(await statusOf('vic', 'DELETE', `/labs/${lab}/faults`)).toBe(403);
    expect(await statusOf('sam', 'GET', `/workspaces/${workspace}`)).toBe(404);
    const { workdir } = (await request('sue', 'GET', `/workspaces/${workspace}`)).json;
    // Nor does a lab below it, or a file in its directory, come with it.
    const topologyPath = `${workdir}/topology.yml`;
    writeFileSync(topologyPath, topologyThat());
    const topology = topologyThat();
    for (const body of [
      { action: 'up', workspace, topology },
      { action: 'up', workdir, topology },
      { action: 'create', workspace: `of-sam-${nextId}`, topologyPath },
      { action: 'restart', workdir },
      { action: 'validate', instance: lab },
      { action: 'down', instance: lab },
    ])
      expect((await run('sam', body)).code).toMatch(
        /^(forbidden|forbidden-path|(workspace|instance)-not-found)$/,
      );
    expect(await run('sue', { action: 'restart', instance: lab })).toMatchObject({ state: 'success' });
    expect((await request('sam', 'GET', `/labs/${lab}`)).json).toMatchObject({
      owner: 'sue',
      shares: [
        { kind: 'user', name: 'sam', as: 'operator' },
        { kind: 'user', name: 'vic' },
      ],
    });
    await run('sue', { action: 'down', instance: lab });
    await run('sue', { action: 'up', workspace, topology, multilabId: nextId });
    expect((await request('sue', 'GET', `/labs/${lab}`)).json).toMatchObject({ shares: [] });
    expect(await statusOf('sam', 'GET', `/labs/${lab}`)).toBe(404);
  });

  test('the owner of a workspace is not at the mercy of those with whom it is shared', async () => {
    await share(`/workspaces/${workspace}`, { kind: 'user', name: 'sam', as: 'operator' });
    expect(await statusOf('sam', 'DELETE', `/workspaces/${workspace}`)).toBe(403);
    const up = { action: 'up', workspace, topology: topologyThat(), multilabId: nextId };
    expect(await run('sam', { action: 'down', workspace })).toMatchObject({ state: 'success' });
    expect(await run('sam', up)).toMatchObject({ state: 'success' });
    expect((await request('sam', 'GET', `/labs/${lab}`)).json).toMatchObject({ owner: 'sam' });
    for (const target of ['shares', 'owner']) {
      const body = target === 'owner' ? { owner: 'vic' } : { shares: [] };
      expect(await statusOf('sam', 'PUT', `/labs/${lab}/${target}`, body)).toBe(403);
    }
    // Ends a share while a job of that user runs, and then the job.
    const topology = topologyThat('wait_for end');
    const { json } = await request('sam', 'POST', '/jobs', { action: 'create', workspace, topology });
    await share(`/workspaces/${workspace}`);
    expect(await statusOf('sue', 'POST', `/jobs/${json.id}/cancel`)).toBeLessThan(300);
    await request('sue', 'GET', `/jobs/${json.id}?wait=60`);
    expect(await run('sue', { action: 'down', instance: lab })).toMatchObject({ state: 'success' });
    expect(await statusOf('sam', 'GET', `/workspaces/${workspace}`)).toBe(404);
    expect(await statusOf('sue', 'DELETE', `/workspaces/${workspace}`)).toBe(204);
  });

  test('a new owner begins without shares', async () => {
    for (const target of [`/labs/${lab}`, `/workspaces/${workspace}`]) {
      await share(target, { kind: 'user', name: 'sue', as: 'operator' });
      expect(await statusOf('sue', 'PUT', `${target}/owner`, { owner: 'tom' })).toBe(200);
      expect((await request('tom', 'GET', target)).json).toMatchObject({ owner: 'tom', shares: [] });
    }
    expect(await statusOf('sue', 'GET', `/workspaces/${workspace}`)).toBe(404);
  });

  const sam = { kind: 'user', name: 'sam', as: 'viewer' };
  test.each([
    ['without shares', {}, 'shares'],
    ['with a wrong second share', { shares: [sam, { ...sam, name: 7 }] }, 'shares.1.name'],
    ['for everything', { shares: [{ ...sam, as: 'admin' }] }, 'shares.0.as'],
    ['with neither a user nor a group', { shares: [{ ...sam, kind: 'role' }] }, 'shares.0.kind'],
    ['with another field', { shares: [{ ...sam, until: 'now' }] }, 'shares.0'],
    ['without a name', { shares: [{ ...sam, name: '' }] }, 'shares.0.name'],
    ['with too many', { shares: Array.from({ length: 101 }, () => sam) }, 'shares'],
  ])('a request %s is refused, and nothing changes', async (_what, body, field) => {
    for (const target of [`/labs/${lab}`, `/workspaces/${workspace}`]) {
      const refused = await request('sue', 'PUT', `${target}/shares`, body);
      expectProblem(refused, 400, 'invalid-request');
      expect(wrongFields(refused)).toEqual([field]);
      expect((await request('sue', 'GET', target)).json).toMatchObject({ shares: [] });
    }
  });

  test('a group that is not in the users file is named, and nothing changes', async () => {
    const shares = [sam, { ...sam, kind: 'group', name: 'nobody' }];
    for (const target of [`/labs/${lab}`, `/workspaces/${workspace}`]) {
      const refused = await request('sue', 'PUT', `${target}/shares`, { shares });
      expectProblem(refused, 404, 'group-not-found');
      expect(wrongFields(refused)).toEqual(['shares.1.name']);
      expect((await request('sue', 'GET', target)).json).toMatchObject({ shares: [] });
    }
  });

  test('a user who leaves a group loses at once what is open, and one who joins loses nothing', async () => {
    const events = new EventReader(await service.open('/events', { headers: as('tom') }));
    await use([{ ...course, members: [...course.members, 'vic'] }, team]);
    const { id } = await run('sue', { action: 'validate', instance: lab });
    let event = await events.next();
    while (event !== undefined && !JSON.stringify(event.data).includes(id)) event = await events.next();
    expect(event).toBeDefined();
    await use([{ ...course, leaders: [] }, team]);
    while (event !== undefined) event = await events.next();
    expect(await statusOf('tom', 'GET', `/labs/${lab}`)).toBe(404);
    await use([course, team]);
    expect(await statusOf('tom', 'GET', `/labs/${lab}`)).toBe(200);
  });
});

test('shares outlive the service', async () => {
  const ground = makeGround();
  const file = usersFile(ground.root, fileOf([course]));
  const all = { ...env, LAB_API_USERS_FILE: file };
  const before = await startService({ ground, env: all, client: { headers: as('sue') } });
  const id = await before.start({ action: 'up', workspace: 'one', topology: topologyThat(), multilabId: 7 });
  await before.ended(id);
  const shares = [{ kind: 'group', name: 'course', as: 'operator' }];
  for (const target of ['/labs/7', '/workspaces/one'])
    await before.request(`${target}/shares`, { method: 'PUT', body: { shares } });
  await before.stop();
  const after = await startService({ ground, env: all, client: { headers: as('sam') } });
  await eventually('the lab is listed', async () => (await after.get('/labs/7')).status === 200);
  for (const target of ['/labs/7', '/workspaces/one'])
    expect(await after.get(target)).toMatchObject({ status: 200, json: { shares } });
});
