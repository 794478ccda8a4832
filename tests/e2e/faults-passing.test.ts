/** The built service on a machine that fails for a while: that delays a job, and never decides what becomes of it. */
import { describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { eventually } from '../support/eventually.ts';
import {
  makeGround,
  processesOf,
  startProgram,
  topologyThat,
  type Ground,
  type RunningProgram,
} from '../support/service.ts';

interface Failing {
  readonly call: 'open' | 'writeFile' | 'readFileSync' | 'spawn';
  /** A part of the path. */
  readonly file: string;
  readonly code: string;
}

/** A ground on which calls of the service fail. */
function failingGround() {
  const ground = makeGround();
  const rules = path.join(ground.root, 'failing-calls');
  const preload = path.join(__dirname, '..', 'fixtures', 'failing-calls.cjs');
  return {
    ground,
    env: { NODE_OPTIONS: `--require=${preload}`, FAILING_CALLS: rules },
    fail: (...failing: readonly Failing[]) => {
      // In one step: the service reads it at any time.
      writeFileSync(`${rules}.new`, JSON.stringify(failing));
      renameSync(`${rules}.new`, rules);
    },
    /** Waits until a call has failed so often. */
    failed: async (times: number) =>
      eventually('the calls to fail', () => {
        const log = `${rules}.log`;
        return existsSync(log) && readFileSync(log, 'utf8').split('\n').length > times;
      }),
  };
}

const fails = { action: 'create', topology: topologyThat('wait_for go', 'exit 5') };

function exitFile({ dataDir }: Ground, id: string): string {
  return path.join(dataDir, 'jobs', id, 'exit.json');
}

/** A job that ended while the service was away. */
async function endedAlone(ground: Ground): Promise<string> {
  const first = await startProgram({ ground });
  const id = await first.start({ ...fails, workdir: ground.workdir });
  await ground.waitsFor('go');
  await first.end('SIGKILL');
  ground.let('go');
  await eventually('the end of the job', async () => (await processesOf(id)).length === 0);
  expect(existsSync(exitFile(ground, id))).toBe(true);
  return id;
}

describe('a result that cannot be read at the start', () => {
  test('because the disk fails: the job is held until it can', async () => {
    const { ground, env, fail, failed } = failingGround();
    const id = await endedAlone(ground);
    fail({ call: 'open', file: 'exit.json', code: 'EIO' });
    const service = await startProgram({ ground, env });
    await failed(3);
    expect(await service.job(id)).toMatchObject({ state: 'running' });
    const next = await service.start({ ...fails, workdir: ground.workdir });
    expect(await service.job(next)).toMatchObject({ state: 'queued', queuePosition: 1 });
    fail();
    expect(await service.ended(id)).toMatchObject({ state: 'failed', reason: 'exited', exitCode: 5 });
    expect(await service.ended(next)).toMatchObject({ state: 'failed', exitCode: 5 });
  });

  test.each([
    ['a pipe', (file: string) => void execFileSync('mkfifo', [file])],
    ['a link', (file: string) => symlinkSync('/etc/hostname', file)],
    ['a directory', (file: string) => mkdirSync(file)],
  ])('because it is %s: nobody knows how the job ended, and nobody waits for it', async (_name, make) => {
    const ground = makeGround();
    const id = await endedAlone(ground);
    rmSync(exitFile(ground, id));
    make(exitFile(ground, id));
    const service = await startProgram({ ground });
    expect(await service.job(id)).toMatchObject({ state: 'failed', reason: 'interrupted' });
  });
});

/** What `/readyz` says of jobs that cannot be started. */
async function jobStarts(service: RunningProgram): Promise<{ ok: boolean; detail: string }> {
  const { json } = await service.get('/readyz');
  const checks = json.checks as readonly { name: string; ok: boolean; detail: string }[];
  const { ok, detail } = checks.find(({ name }) => name === 'job-starts') ?? { ok: false, detail: 'missing' };
  return { ok, detail };
}

describe('a job that is to start', () => {
  test.each<Failing>([
    { call: 'spawn', file: '/bin/sh', code: 'EAGAIN' },
    { call: 'spawn', file: '/bin/sh', code: 'ENOMEM' },
    { call: 'open', file: '/log', code: 'EMFILE' },
    { call: 'writeFile', file: '/ticket-', code: 'ENFILE' },
    { call: 'writeFile', file: '/shim.err', code: 'ENOSPC' },
  ])('waits while $call of $file says $code', async (failing) => {
    const { ground, env, fail, failed } = failingGround();
    const service = await startProgram({ ground, env });
    fail(failing);
    const id = await service.start({ ...fails, workdir: ground.workdir });
    await failed(2);
    const job = await service.job(id);
    expect(['queued', 'running']).toContain(job.state);
    const pattern = new RegExp(`^1 job\\(s\\) wait for the machine: .*${failing.code}`);
    expect(await jobStarts(service)).toEqual({ ok: false, detail: expect.stringMatching(pattern) });
    fail();
    ground.let('go');
    expect(await service.ended(id)).toMatchObject({ state: 'failed', reason: 'exited', exitCode: 5 });
    expect(ground.runs('create')).toHaveLength(1);
    expect(await jobStarts(service)).toMatchObject({ ok: true });
  });

  test('may be canceled while it waits', async () => {
    const { ground, env, fail, failed } = failingGround();
    const service = await startProgram({ ground, env });
    fail({ call: 'spawn', file: '/bin/sh', code: 'EAGAIN' });
    const id = await service.start({ ...fails, workdir: ground.workdir });
    await failed(1);
    await eventually('the job to wait', async () => (await service.job(id)).state === 'queued');
    expect(await service.post(`/jobs/${id}/cancel`)).toMatchObject({
      status: 200,
      json: { state: 'canceled' },
    });
    fail();
    await eventually('nothing to wait for it', async () => (await jobStarts(service)).ok);
    const next = await service.start({ ...fails, workdir: ground.workdir });
    ground.let('go');
    expect(await service.ended(next)).toMatchObject({ exitCode: 5 });
    expect(ground.runs('create')).toHaveLength(1);
  });

  test('runs on when its process cannot be looked at yet', async () => {
    const { ground, env, fail, failed } = failingGround();
    const service = await startProgram({ ground, env });
    fail({ call: 'readFileSync', file: '/stat', code: 'EMFILE' });
    const id = await service.start({ ...fails, workdir: ground.workdir });
    await failed(2);
    expect(await service.job(id)).toMatchObject({ state: 'running' });
    fail();
    ground.let('go');
    expect(await service.ended(id)).toMatchObject({ reason: 'exited', exitCode: 5 });
  });
});

describe('a record with something else in its place', () => {
  /** A job that has ended under a service that is gone, and where its record is. */
  async function endedJob() {
    const ground = makeGround();
    const first = await startProgram({ ground });
    const id = await first.start({ ...fails, workdir: ground.workdir });
    ground.let('go');
    await first.ended(id);
    await first.end();
    const directory = path.join(ground.dataDir, 'jobs', id);
    const record = path.join(directory, 'job.json');
    renameSync(record, `${record}.aside`);
    return { ground, id, directory, record };
  }

  test('a link: the job and its log are 503 until the file is back', async () => {
    const { ground, id, record } = await endedJob();
    symlinkSync(`${record}.aside`, record);
    const service = await startProgram({ ground });
    const fault = { status: 503, json: { code: 'storage-fault' } };
    expect(await service.get(`/jobs/${id}`)).toMatchObject(fault);
    for (const query of ['', '?output=text', '?follow=true'])
      expect(await service.get(`/jobs/${id}/log${query}`)).toMatchObject({ status: 503 });
    rmSync(record);
    renameSync(`${record}.aside`, record);
    expect(await service.get(`/jobs/${id}/log`)).toMatchObject({ status: 200, json: { complete: true } });
  });

  test('a pipe: the job is set aside, and is back when it is mended and moved back', async () => {
    const { ground, id, directory, record } = await endedJob();
    execFileSync('mkfifo', [record]);
    const second = await startProgram({ ground });
    expect((await second.get(`/jobs/${id}`)).status).toBe(404);
    await second.end();
    const aside = path.join(ground.dataDir, 'jobs', '.quarantine', id);
    renameSync(path.join(aside, 'job.json.aside'), path.join(aside, 'job.json'));
    renameSync(aside, directory);
    const third = await startProgram({ ground });
    expect(await third.job(id)).toMatchObject({ state: 'failed', exitCode: 5 });
  });
});
