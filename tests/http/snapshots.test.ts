/** Snapshots of a lab whose nodes are containers; `netlab`, `docker` and `vtysh` are programs of the test. */
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { eventually } from '../support/eventually.ts';
import { makeNodeGround } from '../support/node-ground.ts';
import { expectProblem } from '../support/problem.ts';
import { writeProgram } from '../support/programs.ts';
import { startService, topologyThat, type RunningService } from '../support/service.ts';

const { ground, env } = makeNodeGround({ containers: ['r1', 'r2'], groups: {} });
const kept = path.join(ground.dataDir, 'snapshots');
const workspaces = path.join(ground.dataDir, 'workspaces');
const limits = { LAB_API_MAX_RUNNING_JOBS: '1', LAB_API_MAX_QUEUED_JOBS: '6' };

let service: RunningService;
const vtysh = (script: string): string =>
  writeProgram(path.join(path.dirname(String(env['LAB_API_CLI'])), 'vtysh'), script);

beforeAll(async () => {
  for (const [name, text] of [
    ['topology.yml', 'nodes: [r1, r2]\n'],
    ['netlab.lock', 'locked\n'],
  ] as const)
    writeFileSync(path.join(ground.workdir, name), text);
  mkdirSync(path.join(ground.workdir, 'clab-demo'));
  writeFileSync(path.join(ground.workdir, 'clab-demo/key.pem'), 'secret\n');
  writeFileSync(path.join(ground.workdir, 'clab-demo.yml'), 'a file, and no directory of containerlab\n');
  service = await startService({ ground, env: { ...env, ...limits } });
});
beforeEach(() => void vtysh('echo "hostname $CONTAINER"'));

const keep = async (name: string) =>
  service.request('/labs/default/snapshots', { method: 'POST', body: { name } });
const restore = async (name: string, body: object) =>
  service.request(`/snapshots/${name}/restore`, { method: 'POST', body });
const remove = async (name: string) => service.request(`/snapshots/${name}`, { method: 'DELETE' });
const names = async (): Promise<string[]> =>
  (await service.get('/snapshots')).json.snapshots.map(({ name }: { name: string }) => name);
const incoming = (): string[] => readdirSync(path.join(kept, '.incoming'));
const ended = async (reply: { json: { labs: { jobs: { id: string }[] }[] } }): Promise<void> => {
  for (const { id } of reply.json.labs.flatMap(({ jobs }) => jobs)) await service.ended(id);
};

describe('a snapshot', () => {
  test('has the files of the lab, its configurations, and says which are missing', async () => {
    const { status, json } = await keep('first');
    expect(status).toBe(201);
    expect(json).toMatchObject({
      name: 'first',
      lab: 'default',
      workdir: ground.workdir,
      complete: false,
      leftOut: [],
      request: { action: 'up', cli: 'netlab' },
    });
    expect(json.nodes).toEqual([
      { node: 'r1', kept: 'configuration', size: 22, reason: null },
      { node: 'r2', kept: 'configuration', size: 22, reason: null },
      { node: 'vm', kept: 'failed', size: null, reason: expect.stringContaining('is no container') },
    ]);
    const file = path.join(ground.root, 'first.tar.gz');
    const reply = await fetch(`${service.url}/snapshots/first/files`);
    writeFileSync(file, Buffer.from(await reply.arrayBuffer()));
    const listed = execFileSync('tar', ['tzf', file], { encoding: 'utf8' }).trim().split('\n');
    expect(listed.toSorted()).toEqual([
      'clab-demo.yml',
      'netlab.snapshot.pickle',
      'snapshot-config',
      'snapshot-config/r1.cfg',
      'snapshot-config/r2.cfg',
      'topology.yml',
    ]);
    expect(await names()).toEqual(['first']);
    expect((await service.get('/snapshots/first')).json).toEqual(json);
    expect(incoming()).toEqual([]);
  });

  test('says which files it does not have', async () => {
    const link = path.join(ground.workdir, 'link');
    symlinkSync('/etc/passwd', link);
    writeFileSync(path.join(ground.workdir, 'Topology.yml'), 'x');
    const { json } = await keep('with-links');
    expect(json).toMatchObject({ complete: false, leftOut: ['link', 'topology.yml'], leftOutCount: 2 });
    for (const name of ['link', 'Topology.yml']) rmSync(path.join(ground.workdir, name));
    expect((await remove('with-links')).status).toBe(204);
    expectProblem(await service.get('/snapshots/with-links'), 404, 'snapshot-not-found');
  });

  test('has no text that netlab would take for a template', async () => {
    vtysh('echo "banner {{ secret }}"');
    const { json } = await keep('templates');
    expect(json.nodes[0]).toMatchObject({
      kept: 'failed',
      reason: expect.stringContaining('for a template'),
    });
    await remove('templates');
  });

  test.each(['first', '../first', 'First', 'a'.repeat(64), ''])('is refused the name %j', async (name) => {
    const reply = await keep(name);
    if (name === 'first') expectProblem(reply, 409, 'snapshot-exists');
    else expectProblem(reply, 400, 'invalid-request');
    expect(await names()).toEqual(['first']);
  });

  test('is made once of two requests with one name', async () => {
    const both = await Promise.all([keep('twice'), keep('twice')]);
    expect(new Set(both.map(({ status }) => status))).toEqual(new Set([201, 409]));
    expect((await remove('twice')).status).toBe(204);
  });

  test('is not made when a job was at work meanwhile', async () => {
    const gate = path.join(ground.root, 'gate');
    execFileSync('mkfifo', [gate]);
    const begun = path.join(ground.root, 'begun');
    vtysh(`[ -e ${begun} ] || { touch ${begun}; read -r go <${gate}; }; echo hostname`);
    const making = keep('mixed');
    await eventually('a configuration is read', () => existsSync(begun));
    await service.ended(await service.start({ action: 'validate', workdir: ground.workdir }));
    await writeFile(gate, 'go\n');
    expectProblem(await making, 409, 'conflict');
    expect(await names()).toEqual(['first']);
    expect(incoming()).toEqual([]);
  });
});

describe('a restore', () => {
  test('makes a workspace and starts its lab with the configurations', async () => {
    const reply = await restore('first', { workspace: 'again' });
    expect(reply.status).toBe(202);
    const [lab] = reply.json.labs;
    expect(lab).toMatchObject({ workspace: 'again', jobs: [{ action: 'up' }, { action: 'initial' }] });
    const [up, initial] = lab.jobs;
    expect(up.command.join(' ')).toContain(`--reload-config ${workspaces}/again/snapshot-config`);
    expect(up.labels).toEqual({ snapshot: 'first' });
    expect(initial.command.slice(-2)).toEqual(['--limit', 'vm']);
    expect(readFileSync(`${workspaces}/again/snapshot-config/r2.cfg`, 'utf8')).toBe(
      'hostname clab-demo-r2\n',
    );
    expect(reply.json.warnings).toEqual([expect.stringContaining('no configuration of vm')]);
    await ended(reply);
  });

  test('takes the files of a workspace only with "replace"', async () => {
    writeFileSync(`${workspaces}/again/mine`, 'mine');
    expectProblem(await restore('first', { workspace: 'again' }), 409, 'workspace-busy');
    expect(existsSync(`${workspaces}/again/mine`)).toBe(true);
    const reply = await restore('first', { workspace: 'again', replace: true });
    expect([reply.status, existsSync(`${workspaces}/again/mine`)]).toEqual([202, false]);
    await ended(reply);
  });

  test('makes copies with ids of their own: all, or none', async () => {
    const reply = await restore('first', { workspace: 'class', copies: 3 });
    expect(reply.json.labs.map(({ workspace }: { workspace: string }) => workspace)).toEqual([
      'class-1',
      'class-2',
      'class-3',
    ]);
    const ids = reply.json.labs.map(({ jobs }: { jobs: { instance: string }[] }) => jobs[0]?.instance);
    expect(new Set(ids).size).toBe(3);
    await ended(reply);
    const before = (await service.get('/jobs')).json.jobs.length;
    expectProblem(await restore('first', { workspace: 'more', copies: 4 }), 429, 'queue-full');
    expectProblem(await restore('first', { workspace: 'class', copies: 4 }), 409, 'workspace-busy');
    expect((await service.get('/jobs')).json.jobs).toHaveLength(before);
    expect(readdirSync(workspaces).filter((name) => /^(?:more|class-4)/.test(name))).toEqual([]);
    expect(existsSync(path.join(ground.dataDir, 'jobs/together.json'))).toBe(false);
  });

  test.each([
    [{}, 'workspace'],
    [{ workspace: 'auto' }, 'workspace'],
    [{ workspace: '../x' }, 'workspace'],
    [{ workspace: 'x', copies: 0 }, 'copies'],
    [{ workspace: 'x', copies: 2, multilabId: 3 }, 'multilabId'],
  ])('of %j is refused with the name of the field', async (body, field) => {
    const reply = await restore('first', body);
    expectProblem(reply, 400, 'invalid-request');
    expect(reply.json.detail).toContain(field);
  });
});

test('the directory of a lab below its workspace stays there, and so do the files beside it', async () => {
  const below = await startService({ env: limits });
  const put = async (file: string, body: string) =>
    below.request(`/workspaces/course/files/${file}`, { method: 'PUT', body: Buffer.from(body) });
  await below.request('/workspaces/course', { method: 'PUT' });
  await put('shared/vars.yml', 'x: 1\n');
  await put('labs/ospf/lab.yml', topologyThat());
  const up = { action: 'up', workspace: 'course', workdir: 'labs/ospf', topologyPath: 'lab.yml' };
  await below.ended(await below.start(up));
  const post = async (target: string, body: object) => below.request(target, { method: 'POST', body });
  const made = await post('/labs/default/snapshots', { name: 'deep' });
  expect(made.json).toMatchObject({
    workspace: 'course',
    request: { action: 'up', topologyPath: 'lab.yml' },
  });
  const { json } = await post('/snapshots/deep/restore', { workspace: 'other' });
  const [job] = json.labs[0].jobs;
  const top = path.join(below.ground.dataDir, 'workspaces/other');
  expect(job).toMatchObject({ workdir: `${top}/labs/ospf`, workspace: 'other' });
  expect(readFileSync(`${top}/shared/vars.yml`, 'utf8')).toBe('x: 1\n');
  expect(existsSync(`${top}/labs/ospf/snapshot-config`)).toBe(true);
  await below.ended(job.id);
  await below.stop();
});

describe('a comparison', () => {
  test('of a lab with its last snapshot shows what has drifted', async () => {
    await keep('second');
    const same = await service.get('/labs/default/diff');
    expect(same.json).toMatchObject({
      differs: false,
      before: { snapshot: 'second' },
      after: { snapshot: null },
    });
    vtysh('echo "! Last configuration change at 10:00"; echo "hostname $CONTAINER"; echo "router ospf"');
    const { json } = await service.get('/labs/default/diff?snapshot=first');
    expect(json).toMatchObject({ differs: true, before: { snapshot: 'first' } });
    expect(json.nodes).toEqual([
      {
        node: 'r1',
        change: 'changed',
        reason: null,
        diff: '--- r1 first\n+++ r1 now\n@@ -1,1 +1,2 @@\n hostname clab-demo-r1\n+router ospf\n',
      },
      expect.objectContaining({ node: 'r2', change: 'changed' }),
      { node: 'vm', change: 'unknown', diff: null, reason: expect.stringContaining('is no container') },
    ]);
    await keep('third');
    const both = await service.get('/snapshots/first/diff?with=third');
    expect(both.json.nodes[0]).toMatchObject({ node: 'r1', change: 'changed' });
  });

  test('does not show another snapshot that has got the name meanwhile', async () => {
    const [gate, begun] = ['gate-of-diff', 'begun-diff'].map((name) => path.join(ground.root, name));
    execFileSync('mkfifo', [gate ?? '']);
    await keep('stage');
    vtysh(`[ -e ${begun} ] || { touch ${begun}; read -r go <${gate}; }; echo secret`);
    const comparing = service.get('/labs/default/diff?snapshot=stage');
    await eventually('a configuration is read', () => existsSync(begun ?? ''));
    expect((await remove('stage')).status).toBe(204);
    expect((await keep('stage')).status).toBe(201);
    await writeFile(gate ?? '', 'go\n');
    expectProblem(await comparing, 404, 'snapshot-not-found');
    await remove('stage');
  });

  test('with a snapshot that is not there is 404', async () => {
    expectProblem(await service.get('/snapshots/first/diff?with=nothing'), 404, 'snapshot-not-found');
    expectProblem(await service.get('/labs/default/diff?snapshot=nothing'), 404, 'snapshot-not-found');
  });
});

test('snapshots stay when the service starts again, and what was half made goes', async () => {
  await service.stop();
  mkdirSync(path.join(kept, '.incoming/half'));
  mkdirSync(path.join(kept, 'foreign'));
  service = await startService({ ground, env: { ...env, LAB_API_MAX_ALL_SNAPSHOTS_SIZE: '1KiB' } });
  expect((await names()).toSorted()).toEqual(['first', 'second', 'third']);
  expect([incoming(), existsSync(path.join(kept, 'foreign'))]).toEqual([[], true]);
  expectProblem(await keep('fourth'), 507, 'quota-exceeded');
  expectProblem(await keep('foreign'), 409, 'snapshot-exists');
  expect([incoming(), await names()]).toEqual([[], ['third', 'second', 'first']]);
});
