/** The built service on a machine that fails for a while: that delays a job, and never decides what becomes of it. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { eventually } from '../support/eventually.ts';
import { startGated } from '../support/gated-jobs.ts';
import type { Client } from '../support/client.ts';
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
      rmSync(`${rules}.log`, { force: true });
      // In one step: the service reads it at any time.
      writeFileSync(`${rules}.new`, JSON.stringify(failing));
      renameSync(`${rules}.new`, rules);
    },
    /** Waits until a call has failed so often since `fail`. */
    failed: async (times: number) =>
      eventually('the calls to fail', () => {
        const log = `${rules}.log`;
        return existsSync(log) && readFileSync(log, 'utf8').split('\n').length > times;
      }),
  };
}

/** A job that fails with exit code 5 once the gate of its name is open; it may have to wait for its start. */
async function submitGated(client: Client, ground: Ground, name: string): Promise<string> {
  const workdir = ground.makeWorkdir(name);
  return client.start({ action: 'create', workdir, topology: topologyThat(`wait_for ${name}`, 'exit 5') });
}

const failedWith5 = { state: 'failed', reason: 'exited', exitCode: 5 };

/** Jobs that ended while the service was away. */
async function endedAlone(ground: Ground, ...names: readonly string[]): Promise<string[]> {
  const first = await startProgram({ ground });
  const ids: string[] = [];
  for (const name of names) ids.push(await startGated(first, ground, name, 'exit 5'));
  await first.end('SIGKILL');
  for (const name of names) ground.let(name);
  for (const id of ids) {
    await eventually('the end of the job', async () => (await processesOf(id)).length === 0);
    expect(existsSync(fileOf(ground, id, 'exit.json'))).toBe(true);
  }
  return ids;
}

const fileOf = ({ dataDir }: Ground, id: string, name: string): string =>
  path.join(dataDir, 'jobs', id, name);

describe('a result that cannot be read at the start', () => {
  test('because the disk fails: the job is held until it can', async () => {
    const { ground, env, fail, failed } = failingGround();
    const [id = ''] = await endedAlone(ground, 'go');
    fail({ call: 'open', file: 'exit.json', code: 'EIO' });
    const service = await startProgram({ ground, env });
    await failed(3);
    const { workdir, state } = await service.job(id);
    expect(state).toBe('running');
    const next = await service.start({ action: 'create', workdir, topology: topologyThat('exit 6') });
    expect(await service.job(next)).toMatchObject({ state: 'queued', queuePosition: 1 });
    fail();
    expect(await service.ended(id)).toMatchObject(failedWith5);
    expect(await service.ended(next)).toMatchObject({ state: 'failed', exitCode: 6 });
  });

  test('because it is a pipe, a link or a directory: nobody knows how the job ended, and nobody waits for it', async () => {
    const ground = makeGround();
    const ids = await endedAlone(ground, 'pipe', 'link', 'directory');
    const [pipe = '', link = '', directory = ''] = ids.map((id) => fileOf(ground, id, 'exit.json'));
    for (const file of [pipe, link, directory]) rmSync(file);
    execFileSync('mkfifo', [pipe]);
    symlinkSync('/etc/hostname', link);
    mkdirSync(directory);
    const service = await startProgram({ ground });
    for (const id of ids)
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
  const { ground, env, fail, failed } = failingGround();
  let service: RunningProgram;
  beforeAll(async () => {
    service = await startProgram({ ground, env });
  });
  const runs = (): number => ground.runs('create').length;

  test.each<Failing>([
    { call: 'spawn', file: '/bin/sh', code: 'EAGAIN' },
    { call: 'spawn', file: '/bin/sh', code: 'ENOMEM' },
    { call: 'open', file: '/log', code: 'EMFILE' },
    { call: 'writeFile', file: '/ticket-', code: 'ENFILE' },
    { call: 'writeFile', file: '/shim.err', code: 'ENOSPC' },
  ])('waits while $call of $file says $code', async (failing) => {
    const before = runs();
    fail(failing);
    const id = await submitGated(service, ground, failing.code);
    await failed(2);
    const job = await service.job(id);
    expect(['queued', 'running']).toContain(job.state);
    const pattern = new RegExp(`^1 job\\(s\\) wait for the machine: .*${failing.code}`);
    expect(await jobStarts(service)).toEqual({ ok: false, detail: expect.stringMatching(pattern) });
    fail();
    ground.let(failing.code);
    expect(await service.ended(id)).toMatchObject(failedWith5);
    expect(runs()).toBe(before + 1);
    expect(await jobStarts(service)).toMatchObject({ ok: true });
  });

  test('may be canceled while it waits', async () => {
    const before = runs();
    fail({ call: 'spawn', file: '/bin/sh', code: 'EAGAIN' });
    const id = await submitGated(service, ground, 'canceled');
    await failed(1);
    await eventually('the job to wait', async () => (await service.job(id)).state === 'queued');
    expect(await service.post(`/jobs/${id}/cancel`)).toMatchObject({
      status: 200,
      json: { state: 'canceled' },
    });
    fail();
    await eventually('nothing to wait for it', async () => (await jobStarts(service)).ok);
    const next = await submitGated(service, ground, 'next');
    ground.let('next');
    expect(await service.ended(next)).toMatchObject({ exitCode: 5 });
    expect(runs()).toBe(before + 1);
  });

  test('runs on when its process cannot be looked at yet', async () => {
    fail({ call: 'readFileSync', file: '/stat', code: 'EMFILE' });
    const id = await submitGated(service, ground, 'unseen');
    await failed(2);
    expect(await service.job(id)).toMatchObject({ state: 'running' });
    fail();
    ground.let('unseen');
    expect(await service.ended(id)).toMatchObject(failedWith5);
  });
});

test('a record that is a link is 503 until the file is back; for a pipe, the job is set aside until it is moved back', async () => {
  const ground = makeGround();
  const [linked = '', piped = ''] = await endedAlone(ground, 'link', 'pipe');
  const first = await startProgram({ ground });
  for (const id of [linked, piped]) expect(await first.job(id)).toMatchObject(failedWith5);
  await first.end();
  const [link, pipe] = [fileOf(ground, linked, 'job.json'), fileOf(ground, piped, 'job.json')];
  for (const record of [link, pipe]) renameSync(record, `${record}.aside`);
  symlinkSync(`${link}.aside`, link);
  execFileSync('mkfifo', [pipe]);

  const second = await startProgram({ ground });
  const fault = { status: 503, json: { code: 'storage-fault' } };
  expect(await second.get(`/jobs/${linked}`)).toMatchObject(fault);
  for (const query of ['', '?output=text', '?follow=true'])
    expect(await second.get(`/jobs/${linked}/log${query}`)).toMatchObject({ status: 503 });
  rmSync(link);
  renameSync(`${link}.aside`, link);
  expect(await second.get(`/jobs/${linked}/log`)).toMatchObject({ status: 200, json: { complete: true } });
  expect((await second.get(`/jobs/${piped}`)).status).toBe(404);
  await second.end();

  const aside = path.join(ground.dataDir, 'jobs', '.quarantine', piped);
  renameSync(path.join(aside, 'job.json.aside'), path.join(aside, 'job.json'));
  renameSync(aside, path.dirname(pipe));
  const third = await startProgram({ ground });
  expect(await third.job(piped)).toMatchObject(failedWith5);
});
