/** GET /disk: what uses the disk, for administrators. */
import { beforeAll, expect, test } from '@jest/globals';
import { linkSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { eventually } from '../support/eventually.ts';
import { People } from '../support/people.ts';
import { expectProblem } from '../support/problem.ts';
import { makeGround, startService, topologyThat, type RunningService } from '../support/service.ts';

const people = new People({ ann: { role: 'admin' }, bob: { role: 'operator' }, vera: { role: 'viewer' } });
const [ann, bob] = [people.as('ann'), people.as('bob')];
const ground = makeGround();
const kibi = 1024;

let service: RunningService;
beforeAll(async () => {
  // Beside the data directory, and reached through a link.
  mkdirSync(path.join(ground.root, 'elsewhere'));
  symlinkSync(path.join(ground.root, 'elsewhere'), ground.dataDir);
  const env = { LAB_HOME: path.join(ground.root, 'lab-home') };
  service = await startService({ ground, env, admit: people.admit, client: { headers: ann } });
});

const put = async (workspace: string, size: number, headers: Readonly<Record<string, string>>) => {
  await service.request(`/workspaces/${workspace}`, { method: 'PUT', headers });
  const body = Buffer.alloc(size);
  const octets = { 'Content-Type': 'application/octet-stream', ...headers };
  await service.request(`/workspaces/${workspace}/files/file`, { method: 'PUT', body, headers: octets });
};
const disk = async () => (await service.get('/disk')).json;

test('comes by kind and user, with the largest workspaces and jobs', async () => {
  await put('large', 9 * kibi, ann);
  await put('small', 2 * kibi, bob);
  const topology = topologyThat('head -c 5000 /dev/zero | tr "\\0" x');
  const id = await service.start({ action: 'create', workspace: 'small', topology }, bob);
  expect(await service.ended(id)).toMatchObject({ state: 'success' });
  const found = await eventually('all workspaces are measured', async () => {
    const now = await disk();
    return now.unmeasuredWorkspaces === 0 ? now : undefined;
  });
  const [jobs, workspaces, images, state] = found.kinds;
  expect(jobs).toMatchObject({ kind: 'jobs', size: found.largestJobs[0].size });
  expect(jobs.size).toBeGreaterThan(5000);
  expect(workspaces).toMatchObject({ kind: 'workspaces' });
  expect(images).toMatchObject({ kind: 'images', size: 0 });
  // Events, secrets and the like; neither jobs nor workspaces are in it.
  expect(state.size).toBeGreaterThan(0);
  expect(state.size).toBeLessThan(5000 + 9 * kibi);
  expect(found.largestJobs).toMatchObject([{ id, action: 'create', requestedBy: 'bob' }]);
  const [first, second] = found.largestWorkspaces;
  expect(first).toEqual({ name: 'large', owner: 'ann', size: 9 * kibi });
  expect(second).toMatchObject({ name: 'small', owner: 'bob' });
  expect(workspaces.size).toBe(first.size + second.size);
  expect(found.users).toContainEqual({ user: 'ann', jobs: 0, workspaces: 9 * kibi });
  expect(found.users).toContainEqual({ user: 'bob', jobs: jobs.size, workspaces: second.size });
  expect(found.fileSystems).toHaveLength(1);
  const [{ free, total, directory }] = found.fileSystems;
  expect(directory).toBe(ground.dataDir);
  expect(total).toBeGreaterThan(free);
  expect(free).toBeGreaterThan(0);
});

test('has the log of a job that runs', async () => {
  const topology = topologyThat('head -c 70000 /dev/zero | tr "\\0" x', 'wait_for go');
  const id = await service.start({ action: 'create', workspace: 'running', topology });
  await ground.waitsFor('go');
  const { largestJobs } = await disk();
  expect(largestJobs[0]).toMatchObject({ id });
  expect(largestJobs[0].size).toBeGreaterThanOrEqual(70_000);
  ground.let('go');
  await service.ended(id);
});

test('has nothing of what a link leads to', async () => {
  await put('linked', kibi, ann);
  const outside = path.join(ground.root, 'outside');
  writeFileSync(outside, '');
  truncateSync(outside, 2 ** 30);
  const place = path.join(ground.root, 'elsewhere', 'workspaces', 'linked');
  symlinkSync(outside, path.join(place, 'link'));
  linkSync(outside, path.join(place, 'second-name'));
  symlinkSync(ground.root, path.join(place, 'up'));
  await eventually('the workspace is measured anew', async () => {
    return (await service.get('/workspaces/linked')).json.size === kibi;
  });
  const { kinds } = await disk();
  for (const { size } of kinds) expect(size).toBeLessThan(2 ** 29);
});

test('is the same measurement for a minute, and the sizes of jobs and workspaces are those of now', async () => {
  const before = await disk();
  await put('later', 30 * kibi, bob);
  const after = await disk();
  expect(after.measuredAt).toBe(before.measuredAt);
  expect(after.largestWorkspaces).toContainEqual({ name: 'later', owner: 'bob', size: 30 * kibi });
});

test.each(['bob', 'vera'] as const)('is refused to %s', async (user) => {
  expectProblem(await service.request('/disk', { headers: people.as(user) }), 403, 'forbidden');
});

test('is refused to pages of other sites, and for hosts of a service that works alone', async () => {
  const reply = await service.get('/disk', { 'Sec-Fetch-Site': 'cross-site' });
  expect(reply.status).toBe(403);
  expectProblem(await service.get('/disk?host=other'), 404, 'host-not-found');
});
