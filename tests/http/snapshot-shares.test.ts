/** Snapshots that their owner shares: the stages of a course. sue and sam are students of tom; vic only reads. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { samplesOf } from '../support/scraped.ts';
import { expectProblem, wrongFields } from '../support/problem.ts';
import { makeGround, startService, topologyThat, type RunningService } from '../support/service.ts';
import { courseRoles, usersFile, usersWithTokens } from '../support/users-file.ts';

const { users, as } = usersWithTokens(courseRoles);

const ground = makeGround();
const course = { name: 'course', members: ['sue', 'sam'], leaders: ['tom'] };
const fileOf = (members: readonly string[]): string =>
  JSON.stringify({
    users: users.map((user) => ({ ...user, workdirs: [] })),
    groups: [{ ...course, members }],
  });
const file = usersFile(ground.root, fileOf(course.members));
const env = { FAKE_LAB_LOGS: '1', LAB_API_USERS_FILE: file, LAB_API_OWNERSHIP: 'strict' };
const stored = path.join(ground.dataDir, 'snapshots/stage-1/snapshot.json');
let service: RunningService;

const request = async (user: string, method: string, target: string, body?: unknown) =>
  service.request(target, { method, headers: as(user), ...(body !== undefined && { body }) });
const withCourse = [{ kind: 'group', name: 'course', as: 'viewer' }];
const share = async (user: string, shares: readonly object[]) =>
  request(user, 'PUT', '/snapshots/stage-1/shares', { shares });
const namesFor = async (user: string): Promise<readonly string[]> =>
  (await request(user, 'GET', '/snapshots')).json.snapshots.map(({ name }: { name: string }) => name);
const run = async (user: string, body: object) => {
  const { json } = await request(user, 'POST', '/jobs', body);
  return (await request(user, 'GET', `/jobs/${json.id}?wait=60`)).json;
};
const contents = [
  ['GET', '/snapshots/stage-1/files'],
  ['GET', '/snapshots/stage-1/diff?with=stage-1'],
] as const;

beforeAll(async () => {
  service = await startService({ ground, env });
  const up = { action: 'up', workspace: 'of-tom', topology: topologyThat(), multilabId: 7 };
  expect(await run('tom', up)).toMatchObject({ state: 'success' });
  const { json } = await request('tom', 'POST', '/labs/7/snapshots', { name: 'stage-1' });
  expect(json).toMatchObject({ owner: 'tom', shares: [] });
  expect(await run('tom', { action: 'down', workspace: 'of-tom', cleanup: true })).toMatchObject({
    state: 'success',
  });
});
afterAll(async () => service.stop());

test('is not there for others before', async () => {
  expect(await namesFor('sue')).toEqual([]);
  for (const [method, target] of contents)
    expectProblem(await request('sue', method, target), 404, 'snapshot-not-found');
  expectProblem(await share('sue', withCourse), 404, 'snapshot-not-found');
});

describe.each(['viewer', 'operator'] as const)('shared as %s', (right) => {
  const shares = withCourse.map((one) => ({ ...one, as: right }));

  test('is listed, read, compared and started by the course, and by no other user', async () => {
    expect(await share('tom', shares)).toMatchObject({ status: 200, json: { shares } });
    for (const user of ['sue', 'sam', 'tom', 'ann']) {
      expect(await namesFor(user)).toEqual(['stage-1']);
      expect((await request(user, 'GET', '/snapshots/stage-1')).json).toMatchObject({ owner: 'tom', shares });
      for (const [method, target] of contents) expect((await request(user, method, target)).status).toBe(200);
    }
    expect(await namesFor('vic')).toEqual([]);
    const { status, json } = await request('sue', 'POST', '/snapshots/stage-1/restore', {
      workspace: 'of-sue',
    });
    expect([status, json.labs?.length]).toEqual([202, 1]);
    const [job] = json.labs[0].jobs;
    expect((await request('sue', 'GET', `/jobs/${job.id}?wait=60`)).json).toMatchObject({
      state: 'success',
      requestedBy: 'sue',
    });
    expect((await request('sue', 'GET', '/workspaces/of-sue')).json).toMatchObject({ owner: 'sue' });
    expect((await request('sue', 'GET', '/labs/7/diff')).json).toMatchObject({
      before: { snapshot: 'stage-1' },
    });
    expectProblem(await request('sam', 'GET', '/workspaces/of-sue'), 404, 'workspace-not-found');
    await run('sue', { action: 'down', workspace: 'of-sue', cleanup: true });
    expect((await request('sue', 'DELETE', '/workspaces/of-sue')).status).toBe(204);
  });

  test('is shared and removed by its owner and administrators alone', async () => {
    for (const user of ['sue', 'sam']) {
      expectProblem(await share(user, []), 403, 'forbidden');
      expectProblem(await request(user, 'DELETE', '/snapshots/stage-1'), 403, 'forbidden');
    }
    expect((await share('ann', shares)).status).toBe(200);
  });
});

test('users with the role viewer see it, and no passwords in it', async () => {
  await share('tom', [...withCourse, { kind: 'user', name: 'vic', as: 'operator' }]);
  expect(await namesFor('vic')).toEqual(['stage-1']);
  for (const [method, target] of contents)
    expectProblem(await request('vic', method, target), 403, 'forbidden');
  expectProblem(
    await request('vic', 'POST', '/snapshots/stage-1/restore', { workspace: 'of-vic' }),
    403,
    'forbidden',
  );
});

test('a workspace gives no one the snapshots of its labs to read, unless they may change it', async () => {
  await share('tom', []);
  const shares = (right: string) => ({ shares: [{ kind: 'user', name: 'sue', as: right }] });
  expect((await request('tom', 'PUT', '/workspaces/of-tom/shares', shares('viewer'))).status).toBe(200);
  expect(await namesFor('sue')).toEqual(['stage-1']);
  for (const [method, target] of contents)
    expectProblem(await request('sue', method, target), 403, 'forbidden');
  await request('tom', 'PUT', '/workspaces/of-tom/shares', shares('operator'));
  for (const [method, target] of contents) expect((await request('sue', method, target)).status).toBe(200);
  expectProblem(await share('sue', withCourse), 403, 'forbidden');
  await request('tom', 'PUT', '/workspaces/of-tom/shares', { shares: [] });
});

test('wrong shares are named, and change nothing', async () => {
  await share('tom', withCourse);
  const unknown = await share('tom', [{ kind: 'group', name: 'nothing', as: 'viewer' }]);
  expectProblem(unknown, 404, 'group-not-found');
  expect(wrongFields(unknown)).toEqual(['shares.0.name']);
  expectProblem(await share('tom', [{ kind: 'user', name: 'sue', as: 'owner' }]), 400, 'invalid-request');
  expect((await request('tom', 'GET', '/snapshots/stage-1')).json).toMatchObject({ shares: withCourse });
});

test('shares are kept over a restart, and end with the group', async () => {
  await service.stop();
  service = await startService({ ground, env });
  expect(await namesFor('sue')).toEqual(['stage-1']);
  writeFileSync(file, fileOf(['sam']));
  await request('ann', 'POST', '/reload');
  expect(await namesFor('sue')).toEqual([]);
  expect(await namesFor('sam')).toEqual(['stage-1']);
});

test('a record without shares, or with unknown ones, is a snapshot that is shared with no user', async () => {
  const { shares: _none, ...older } = JSON.parse(readFileSync(stored, 'utf8'));
  for (const record of [older, { ...older, shares: [{ kind: 'planet', name: 'mars', as: 'viewer' }] }]) {
    await service.stop();
    writeFileSync(stored, JSON.stringify(record));
    service = await startService({ ground, env });
    expect(await namesFor('sam')).toEqual([]);
    expect((await request('tom', 'GET', '/snapshots/stage-1')).json).toMatchObject({ shares: [] });
  }
});

test('more restores at once than uploads may come wait for each other', async () => {
  const all = await Promise.all(
    Array.from({ length: 18 }, async (_, at) =>
      request('ann', 'POST', '/snapshots/stage-1/restore', { workspace: `many-${at}`, multilabId: 'auto' }),
    ),
  );
  expect(all.map(({ status, json }) => [status, json.code])).toEqual(all.map(() => [202, undefined]));
  for (const { json } of all) await request('ann', 'POST', `/jobs/${json.labs[0].jobs[0].id}/cancel`, {});
});

test('the metrics have how many snapshots there are, and how much room they take', async () => {
  const { text } = await request('ann', 'GET', '/metrics');
  const value = (name: string): number | undefined =>
    samplesOf(text).find((sample) => sample.name === name)?.value;
  const { size } = (await request('ann', 'GET', '/snapshots/stage-1')).json;
  expect(value('lab_api_snapshots')).toBe(1);
  expect(value('lab_api_snapshots_bytes')).toBe(size);
  expect(value('lab_api_snapshots_limit_bytes')).toBeGreaterThan(size);
});

test('shares and a removal at the same time leave nothing of the snapshot', async () => {
  const [removed, ...shared] = await Promise.all([
    request('tom', 'DELETE', '/snapshots/stage-1'),
    ...Array.from({ length: 5 }, async () => share('tom', withCourse)),
  ]);
  expect(removed?.status).toBe(204);
  for (const { status } of shared) expect([200, 404]).toContain(status);
  expect(await namesFor('tom')).toEqual([]);
  expect(existsSync(path.dirname(stored))).toBe(false);
});
