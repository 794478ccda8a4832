import { afterAll, describe, expect, test } from '@jest/globals';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { expectProblem } from '../support/problem.ts';
import { fixtureProgram } from '../support/programs.ts';
import { makeGround, startService, type RunningService } from '../support/service.ts';

interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

async function readiness(
  service: RunningService,
): Promise<{ status: number; body: string; checks: Check[] }> {
  const reply = await service.get('/readyz');
  return { status: reply.status, body: reply.json.status, checks: reply.json.checks };
}

function failing(checks: readonly Check[]): string[] {
  return checks.filter(({ ok }) => !ok).map(({ name }) => name);
}

test('a healthy service says so, runs no lab CLI for it, and leaves nothing behind', async () => {
  const service = await startService();
  expect(await service.get('/healthz')).toMatchObject({ status: 200, text: '{"status":"ok"}\n' });
  // RFC 9110, section 13.1.2: there is a representation.
  expect(await service.get('/healthz', { 'If-None-Match': '*' })).toMatchObject({ status: 304, text: '' });
  expect(await service.get('/healthz', { 'If-None-Match': '"x"' })).toMatchObject({ status: 200 });
  const { status, body, checks } = await readiness(service);
  expect({ status, body }).toEqual({ status: 200, body: 'ok' });
  expect(checks.map(({ name }) => name)).toEqual([
    'jobs-directory',
    'free-disk',
    'job-records',
    'job-starts',
    'lab-cli',
  ]);
  expect(checks.every(({ detail }) => detail.length > 0)).toBe(true);
  expect(failing(checks)).toEqual([]);
  await Promise.all(Array.from({ length: 20 }, async () => service.get('/readyz')));
  for (const target of ['/jobs', '/templates?dir=/tmp']) await service.get(target);
  expect(service.ground.runs().filter((run) => run !== 'version')).toEqual([]);
  const jobs = path.join(service.ground.dataDir, 'jobs');
  expect(existsSync(jobs)).toBe(true);
  expect(readdirSync(jobs).filter((name) => name.startsWith('.probe'))).toEqual([]);
});

describe('without a lab CLI', () => {
  const ground = makeGround();
  const bin = path.join(ground.root, 'bin');
  afterAll(() => rmSync(bin, { recursive: true, force: true }));

  test('jobs and status are 503, and all is well as soon as it is installed', async () => {
    const env = { LAB_API_CLI: 'netlab', PATH: `${bin}:/usr/bin:/bin` };
    const service = await startService({ ground, env });
    expectProblem(await service.post('/jobs', { action: 'status' }), 503, 'lab-cli-missing');
    const reply = await service.get('/status');
    expectProblem(reply, 503, 'lab-cli-missing');
    expect(reply.headers['retry-after']).toMatch(/^\d+$/);
    expectProblem(await service.get('/status/default'), 503, 'lab-cli-missing');
    const before = await readiness(service);
    expect({ status: before.status, body: before.body }).toEqual({ status: 503, body: 'unavailable' });
    expect(failing(before.checks)).toEqual(['lab-cli']);
    expect((await service.get('/healthz')).status).toBe(200);
    expect((await service.get('/jobs')).json.jobs).toEqual([]);

    mkdirSync(bin);
    // With what a provider of netlab needs, for which nothing has to run.
    for (const name of ['netlab', 'vagrant', 'virsh']) {
      copyFileSync(fixtureProgram('fake-netlab'), path.join(bin, name));
      chmodSync(path.join(bin, name), 0o755);
    }
    expect(failing((await readiness(service)).checks)).toEqual([]);
    expect((await service.ended(await service.start({ action: 'status' }))).state).toBe('failed');
    expect((await service.get('/status', { 'Cache-Control': 'no-cache' })).status).toBe(200);
  });
});

describe('below the floor of free disk space', () => {
  test('new jobs are 503 disk-full, and readyz is 503', async () => {
    const service = await startService({ env: { LAB_API_MIN_FREE_DISK: '1000TiB' } });
    const reply = await service.post('/jobs', { action: 'status' });
    expectProblem(reply, 503, 'disk-full');
    expect(reply.headers['retry-after']).toMatch(/^\d+$/);
    const { status, checks } = await readiness(service);
    expect({ status, failing: failing(checks) }).toEqual({ status: 503, failing: ['free-disk'] });
    expect((await service.get('/jobs')).json.jobs).toEqual([]);
    expect((await service.get('/status')).status).toBe(200);
  });
});

describe('when the jobs directory cannot be written', () => {
  test('new jobs are 503 storage-fault, the rest goes on, and all is well once it is back', async () => {
    const service = await startService();
    const jobs = path.join(service.ground.dataDir, 'jobs');
    const id = await service.start({ action: 'status' });
    await service.ended(id);
    // As root, permissions stop nobody; a file in the place of the directory does.
    renameSync(jobs, `${jobs}.aside`);
    writeFileSync(jobs, '');
    const reply = await service.post('/jobs', { action: 'status' });
    expectProblem(reply, 503, 'storage-fault');
    expect(reply.text).not.toContain(jobs);
    const { status, checks } = await readiness(service);
    expect({ status, failing: failing(checks) }).toMatchObject({ status: 503 });
    expect(failing(checks)).toContain('jobs-directory');
    // The record was read before and does not change any more; its log has to be read.
    expect((await service.get(`/jobs/${id}`)).status).toBe(200);
    expectProblem(await service.get(`/jobs/${id}/log`), 503, 'storage-fault');
    expect((await service.get('/healthz')).status).toBe(200);
    expect((await service.get('/status')).status).toBe(200);
    rmSync(jobs);
    renameSync(`${jobs}.aside`, jobs);
    expect(failing((await readiness(service)).checks)).toEqual([]);
    expect((await service.get(`/jobs/${id}`)).status).toBe(200);
    expect((await service.post('/jobs', { action: 'status' })).status).toBe(202);
  });
});
