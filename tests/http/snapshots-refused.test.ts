/** Snapshots and restores that are refused; `netlab` is the one of the tests. */
import { beforeAll, expect, test } from '@jest/globals';
import { existsSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { People } from '../support/people.ts';
import { expectProblem } from '../support/problem.ts';
import { fixtureProgram } from '../support/programs.ts';
import { makeGround, startService, topologyThat, type RunningService } from '../support/service.ts';
import { treeOf } from '../unit/labs/workspaces/ground.ts';

const ground = makeGround();
const workspaces = path.join(ground.dataDir, 'workspaces');
let service: RunningService;

const restore = async (body: object) => service.request('/snapshots/stage/restore', { method: 'POST', body });
const left = (): string[] =>
  ['incoming', 'trash'].flatMap((name) => readdirSync(path.join(workspaces, '.lab-api', name)));

beforeAll(async () => {
  const limits = {
    LAB_API_MAX_RUNNING_JOBS: '1',
    LAB_API_MAX_QUEUED_JOBS: '1',
    LAB_API_MAX_TTL: '1h',
    FAKE_LAB_LOGS: '1',
  };
  service = await startService({ ground, env: limits });
  await service.ended(await service.start({ action: 'up', workspace: 'one', topology: topologyThat() }));
  const made = await service.request('/labs/default/snapshots', { method: 'POST', body: { name: 'stage' } });
  expect(made.status).toBe(201);
  await service.request('/workspaces/mine', { method: 'PUT' });
  await service.request('/workspaces/mine/files/notes/mine', { method: 'PUT', body: Buffer.from('mine') });
});

test('a restore that is refused leaves the files of the workspace', async () => {
  const [old, record] = [treeOf(workspaces), (await service.get('/workspaces/mine')).json];
  expectProblem(await restore({ workspace: 'mine', replace: true }), 409, 'conflict');
  const replace = { workspace: 'mine', replace: true, multilabId: 'auto' };
  expectProblem(await restore({ ...replace, ttlSeconds: 7_200 }), 400, 'invalid-request');
  const create = { action: 'create', workdir: ground.makeWorkdir('busy') };
  const running = await service.start({ ...create, topology: topologyThat('wait_for go') });
  await ground.waitsFor('go');
  const waiting = await service.start({ ...create, topology: topologyThat() });
  expectProblem(await restore(replace), 429, 'queue-full');
  expectProblem(await restore({ workspace: 'class', copies: 3 }), 429, 'queue-full');
  ground.let('go');
  for (const id of [running, waiting]) await service.ended(id);
  expect(treeOf(workspaces)).toEqual(old);
  expect(left()).toEqual([]);
  const { size, files } = record;
  expect((await service.get('/workspaces/mine')).json).toMatchObject({ size, files });
  const reply = await restore(replace);
  expect([reply.status, existsSync(path.join(workspaces, 'mine/notes'))]).toEqual([202, false]);
  await service.ended(reply.json.labs[0].jobs[0].id);
});

test('copies that name a field of one lab are refused with both fields', async () => {
  const reply = await restore({ workspace: 'class', copies: 2, replace: true, multilabId: 7 });
  expectProblem(reply, 400, 'invalid-request');
  const [replace, id] = reply.json.errors;
  expect(replace).toMatchObject({
    field: 'replace',
    message: expect.stringMatching(/"replace" or "copies"$/),
  });
  expect(id).toMatchObject({
    field: 'multilabId',
    message: expect.stringMatching(/"multilabId" or "copies"$/),
  });
});

test('no snapshot has a topology that its user may not read', async () => {
  const own = makeGround();
  const workdir = own.makeWorkdir('lab');
  const people = new People({ nick: { role: 'operator', workdirs: [workdir] } });
  const narrow = await startService({ ground: own, admit: people.admit });
  const post = async (target: string, body: object) =>
    narrow.request(target, { method: 'POST', body, headers: people.as('nick') });
  const topology = path.join(workdir, 'lab.yml');
  writeFileSync(topology, topologyThat());
  const { json } = await post('/jobs', { action: 'up', workdir, topologyPath: 'lab.yml' });
  await narrow.request(`/jobs/${json.id}?wait=30`, { headers: people.as('nick') });
  const secret = path.join(own.root, 'secret.yml');
  writeFileSync(secret, 'secret: yes\n');
  rmSync(topology);
  symlinkSync(secret, topology);
  expectProblem(await post('/labs/default/snapshots', { name: 'stolen' }), 403, 'forbidden-path');
  rmSync(topology);
  writeFileSync(topology, topologyThat());
  expect((await post('/labs/default/snapshots', { name: 'own' })).status).toBe(201);
  await narrow.stop();
});

test('a restore that no lab CLI of the server can do is 422, and makes no workspace', async () => {
  const own = makeGround();
  const containerlab = fixtureProgram('fake-clab/containerlab');
  const clis = {
    LAB_API_CLI: undefined,
    LAB_API_CLIS: [fixtureProgram('fake-netlab'), containerlab].join(','),
  };
  let server = await startService({ ground: own, env: { ...clis, FAKE_LAB_LOGS: '1' } });
  const post = async (target: string, body: object) => server.request(target, { method: 'POST', body });
  const up = { action: 'up', cli: 'containerlab', workspace: 'one', topologyPath: 'one.clab.yml' };
  await server.request('/workspaces/one', { method: 'PUT' });
  const body = Buffer.from('name: one\ntopology: { nodes: { h1: {} } }\n');
  await server.request('/workspaces/one/files/one.clab.yml', { method: 'PUT', body });
  await server.ended(await server.start(up));
  expect((await post('/labs/one/snapshots', { name: 'stage' })).status).toBe(201);
  const refused = async (wanted: object, words: string): Promise<void> => {
    const reply = await post('/snapshots/stage/restore', wanted);
    expectProblem(reply, 422, 'not-supported');
    expect(reply.json.detail).toContain(words);
    expect(readdirSync(path.join(own.dataDir, 'workspaces'))).toEqual(['.lab-api', 'one']);
  };
  await refused({ workspace: 'class', copies: 2 }, 'takes no multilab ids');
  await server.stop();
  server = await startService({ ground: own, env: { FAKE_LAB_LOGS: '1' } });
  await refused({ workspace: 'two' }, 'no lab CLI "containerlab"');
  await server.stop();
});
