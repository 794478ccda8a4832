/** Whose a lab, a directory or a workspace is, when several want it at once, and what the service itself may do all the same. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, renameSync, writeFileSync } from 'node:fs';
import http, { type IncomingMessage } from 'node:http';
import path from 'node:path';
import { json as jsonOf } from 'node:stream/consumers';
import { tarGzOf } from '../support/archives.ts';
import { eventually } from '../support/eventually.ts';
import { People } from '../support/people.ts';
import { makeGround, startService, topologyThat, type RunningService } from '../support/service.ts';

const ground = makeGround();
const people = new People({
  ann: { role: 'admin' },
  alice: { role: 'operator' },
  bob: { role: 'operator' },
  nick: { role: 'operator', workdirs: [path.join(ground.root, 'labs')] },
});
const [ann, alice, bob, nick] = ['ann', 'alice', 'bob', 'nick'].map((name) => people.as(name)) as [
  Record<string, string>,
  Record<string, string>,
  Record<string, string>,
  Record<string, string>,
];
const env = { FAKE_LAB_LOGS: '1', LAB_API_OWNERSHIP: 'strict', LAB_API_STATUS_MAX_AGE: '1ms' };
let service: RunningService;
beforeAll(async () => {
  service = await startService({ ground, env, admit: people.admit });
});

const post = async (target: string, body: unknown, headers: Record<string, string>) =>
  service.request(target, { method: 'POST', body, headers });
const put = async (target: string, body: unknown, headers: Record<string, string>) =>
  service.request(target, { method: 'PUT', body, headers });
const ended = async (id: string) => (await service.request(`/jobs/${id}?wait=60`, { headers: ann })).json;

let nextId = 10;
/** A lab of that user in a directory of its own, up. */
async function labOf(headers: Record<string, string>, more: object = {}) {
  const id = String((nextId += 1));
  const workdir = ground.makeWorkdir(`lab-${id}`);
  const body = { action: 'up', workdir, topology: topologyThat(), multilabId: Number(id), ...more };
  const job = await service.start(body, headers);
  expect(await ended(job)).toMatchObject({ state: 'success' });
  return { id, workdir, job };
}

describe('in the directory of the lab of another one', () => {
  const actions = ['up', 'create', 'down', 'collect', 'restart', 'validate', 'initial'] as const;
  let lab: Awaited<ReturnType<typeof labOf>>;
  beforeAll(async () => {
    lab = await labOf(alice);
  });

  test.each(actions)('%s is refused, by directory and by instance', async (action) => {
    const refused = { status: 403, json: { code: 'forbidden', detail: expect.stringContaining('alice') } };
    const topology = ['up', 'create'].includes(action) ? { topology: topologyThat() } : {};
    expect(await post('/jobs', { action, workdir: lab.workdir, ...topology }, bob)).toMatchObject(refused);
    expect(await post('/jobs', { action, workdir: lab.workdir, ...topology }, nick)).toMatchObject(refused);
    if (topology.topology === undefined)
      expect(await post('/jobs', { action, instance: lab.id }, bob)).toMatchObject(refused);
  });

  test('its jobs are not run again, and what only looks is allowed', async () => {
    expect(await post(`/jobs/${lab.job}/retry`, undefined, bob)).toMatchObject({ status: 403 });
    expect(await post('/jobs', { action: 'status', workdir: lab.workdir }, bob)).toMatchObject({
      status: 202,
    });
  });

  test('its owner and administrators may, and the restarted lab stays whose it was', async () => {
    const restart = await service.start({ action: 'restart', workdir: lab.workdir }, ann);
    expect(await ended(restart)).toMatchObject({ state: 'success' });
    expect((await service.request(`/labs/${lab.id}`, { headers: bob })).json).toMatchObject({
      owner: 'alice',
    });
    const down = await service.start({ action: 'down', workdir: lab.workdir }, alice);
    expect(await ended(down)).toMatchObject({ state: 'success' });
  });

  test('when it is gone, the directory is anybody’s', async () => {
    const up = await service.start({ action: 'up', workdir: lab.workdir, topology: topologyThat() }, bob);
    expect(await ended(up)).toMatchObject({ state: 'success' });
    const down = await service.start({ action: 'down', workdir: lab.workdir }, bob);
    expect(await ended(down)).toMatchObject({ state: 'success' });
  });
});

test('a lab that was started from a shell is the administrators’', async () => {
  const { id, workdir, job } = await labOf(bob);
  const file = path.join(ground.env['HOME'] ?? '', '.netlab', 'status.yaml');
  const started = path.join(ground.env['FAKE_LAB_STATE'] ?? '', `started-${id}`);
  writeFileSync(started, `${new Date(Date.now() + 60_000).toISOString()}: starting lab`);
  const entry = {
    [id]: { dir: workdir, log: [`${new Date(Date.now() + 60_000).toISOString()}: starting lab`] },
  };
  writeFileSync(`${file}.next`, JSON.stringify(entry));
  renameSync(`${file}.next`, file);
  expect(job).toMatch(/^job-/);
  const { json } = await service.request(`/labs/${id}`, { headers: { ...bob, 'Cache-Control': 'no-cache' } });
  expect(json).toMatchObject({ owner: null });
  expect(await post('/jobs', { action: 'down', workdir }, bob)).toMatchObject({
    status: 403,
    json: { detail: expect.stringContaining('its owner is unknown') },
  });
  expect(await ended(await service.start({ action: 'down', workdir }, ann))).toMatchObject({
    state: 'success',
  });
});

test('where it is written down whose workspaces are, nobody works', async () => {
  const own = path.join(ground.dataDir, 'workspaces', '.lab-api');
  for (const workdir of [own, path.join(own, 'records')])
    for (const headers of [ann, bob])
      expect(
        await post('/jobs', { action: 'create', workdir, topology: topologyThat() }, headers),
      ).toMatchObject({
        status: 403,
        json: { code: 'forbidden-path' },
      });
});

describe('at once', () => {
  test('of several who start a lab in one directory, one does', async () => {
    const workdir = ground.makeWorkdir('wanted');
    const body = { action: 'up', workdir, topology: topologyThat('wait_for both') };
    const replies = await Promise.all(
      [alice, bob, alice, bob].map(async (headers) => post('/jobs', body, headers)),
    );
    ground.let('both');
    const accepted = replies.filter(({ status }) => status === 202);
    expect(new Set(accepted.map(({ json }) => json.requestedBy)).size).toBe(1);
    expect(replies.filter(({ status }) => status === 403)).toHaveLength(2);
    for (const { json } of accepted) await ended(json.id);
  });

  test('a workspace that two jobs bring along is that of one of them', async () => {
    const body = { action: 'create', workspace: 'fresh', topology: topologyThat() };
    const replies = await Promise.all([alice, bob].map(async (headers) => post('/jobs', body, headers)));
    const winner = replies.find(({ status }) => status === 202)?.json;
    expect(replies.find(({ status }) => status === 403)?.json).toMatchObject({ code: 'forbidden' });
    await ended(winner.id);
    const { json } = await service.request('/workspaces/fresh', { headers: ann });
    expect(json).toMatchObject({ owner: winner.requestedBy });
  });

  test('a lab is not given away while a job waits or runs there', async () => {
    const { id, workdir } = await labOf(alice);
    const body = { action: 'up', workdir, topology: topologyThat('wait_for given') };
    const blocked = path.join(ground.root, 'labs', `lab-${id}`, 'netlab.lock');
    renameSync(blocked, `${blocked}.aside`);
    const running = await service.start({ ...body, multilabId: Number(id) }, alice);
    await ground.waitsFor('given');
    expect(await put(`/labs/${id}/owner`, { owner: 'bob' }, alice)).toMatchObject({ status: 409 });
    ground.let('given');
    await ended(running);
    expect(await put(`/labs/${id}/owner`, { owner: 'bob' }, bob)).toMatchObject({ status: 403 });
    expect(await put(`/labs/${id}/owner`, { owner: 'bob' }, alice)).toMatchObject({ status: 200 });
    expect(await post('/jobs', { action: 'down', workdir }, alice)).toMatchObject({ status: 403 });
    expect(await ended(await service.start({ action: 'down', workdir }, bob))).toMatchObject({
      state: 'success',
    });
  });

  test('an upload to a workspace that is given away meanwhile changes nothing', async () => {
    await put('/workspaces/given', undefined, alice);
    const archive = tarGzOf({ name: 'late', content: randomBytes(200_000) });
    const { hostname, port } = new URL(service.url);
    const headers = {
      'Content-Type': 'application/gzip',
      'Content-Length': String(archive.length),
      ...alice,
    };
    const request = http.request({ hostname, port, path: '/workspaces/given', method: 'PUT', headers });
    request.write(archive.subarray(0, 1_000));
    const incoming = path.join(ground.dataDir, 'workspaces', '.lab-api', 'incoming');
    await eventually('the upload has begun', () => readdirSync(incoming).length > 0);
    expect(await put('/workspaces/given/owner', { owner: 'bob' }, alice)).toMatchObject({ status: 200 });
    request.end(archive.subarray(1_000));
    const [message] = (await once(request, 'response')) as [IncomingMessage];
    expect([message.statusCode, await jsonOf(message)]).toMatchObject([403, { code: 'forbidden' }]);
    const { json } = await service.request('/workspaces/given/files', { headers: bob });
    expect(json).toMatchObject({ files: [] });
    expect(await put('/workspaces/given/files/mine', 'x', bob)).toMatchObject({ status: 201 });
  });
});

test('a directory above that of a lab, or of workspaces, is no way around', async () => {
  const { id, workdir } = await labOf(alice);
  const topology = topologyThat();
  const create = (place: string) => ({
    action: 'create',
    workdir: place,
    topology,
    output: `yaml=lab-${id}/x.yml`,
  });
  const workspaces = path.join(ground.dataDir, 'workspaces');
  expect(await post('/jobs', create(path.dirname(workdir)), bob)).toMatchObject({ status: 403 });
  expect(await post('/jobs', create(workspaces), bob)).toMatchObject({ status: 403 });
  expect(await post('/jobs', create(path.dirname(workdir)), ann)).toMatchObject({ status: 202 });
});

test('the same key of two users stands for two requests', async () => {
  const workdirs = [ground.makeWorkdir('key-a'), ground.makeWorkdir('key-b')];
  const [first, second] = await Promise.all(
    [alice, bob].map(async (headers, index) => {
      const body = { action: 'create', workdir: workdirs[index], topology: topologyThat() };
      return post('/jobs', body, { ...headers, 'Idempotency-Key': 'one' });
    }),
  );
  expect(first?.json.id).not.toBe(second?.json.id);
  expect([first?.status, second?.status]).toEqual([202, 202]);
});

describe('the service itself', () => {
  test('takes a lab down whose lease is over', async () => {
    const { workdir } = await labOf(alice, { ttlSeconds: 0.2 });
    const down = await eventually('it is taken down', async () => {
      const { json } = await service.request(`/jobs?action=down&workdir=${workdir}`, { headers: alice });
      return json.jobs[0];
    });
    expect(await ended(down.id)).toMatchObject({ state: 'success', requestedBy: null });
  });

  test('takes a lab down whose start was canceled', async () => {
    const workdir = ground.makeWorkdir('canceled');
    const body = { action: 'up', workdir, topology: topologyThat('wait_for never'), onCancel: 'down' };
    const up = await service.start(body, alice);
    await ground.waitsFor('never');
    expect(await post(`/jobs/${up}/cancel`, undefined, bob)).toMatchObject({ status: 403 });
    await post(`/jobs/${up}/cancel`, { force: true }, alice);
    const { cleanupJobId } = await ended(up);
    expect((await ended(cleanupJobId)).finishedAt).not.toBeNull();
  });
});

test('after a restart of the service, and when the job was removed, everything is whose it was', async () => {
  const { id, job } = await labOf(alice);
  expect(await service.request(`/jobs/${job}`, { method: 'DELETE', headers: bob })).toMatchObject({
    status: 403,
  });
  expect(await service.request(`/jobs/${job}`, { method: 'DELETE', headers: alice })).toMatchObject({
    status: 204,
  });
  await service.stop();
  service = await startService({ ground, env, admit: people.admit });
  expect((await service.request(`/labs/${id}`, { headers: bob })).json).toMatchObject({
    owner: 'alice',
    jobs: [],
  });
  expect((await service.request('/workspaces/given', { headers: bob })).json).toMatchObject({ owner: 'bob' });
  expect(await post('/jobs', { action: 'down', instance: id }, bob)).toMatchObject({ status: 403 });
  expect(await ended(await service.start({ action: 'down', instance: id }, alice))).toMatchObject({
    state: 'success',
  });
});
