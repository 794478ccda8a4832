import { describe, expect, test } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Job } from '../../src/jobs/job.ts';
import { readExitStatus, readIdentity } from '../../src/jobs/job-files.ts';
import type { Recovered } from '../../src/jobs/recovery.ts';
import { isAlive } from '../../src/lib/processes.ts';
import { eventually } from '../support/eventually.ts';
import { killAll, processesOf } from '../support/job-processes.ts';
import { jobRigs, type JobRig } from '../support/job-rig.ts';
import { sampleJob } from '../support/sample-job.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const base = temporaryDirectory();
const makeRig = jobRigs();
const none: Recovered = { queued: 0, adopted: 0, finished: 0, interrupted: 0 };

async function startRig(options: Partial<Parameters<typeof makeRig>[0]> = {}): Promise<JobRig> {
  const rig = makeRig({ root: mkdtempSync(path.join(base, 'machine-')), ...options });
  await rig.start();
  return rig;
}

/** A new service on the same machine, and what it says of the jobs it found. */
async function restart(
  old: JobRig,
  options: Partial<Parameters<typeof makeRig>[0]> = {},
): Promise<{ rig: JobRig; recovered: Recovered }> {
  old.crash();
  const rig = makeRig({ root: old.root, ...options });
  return { rig, recovered: await rig.start() };
}

function rewriteRecord(rig: JobRig, id: string, change: (job: Job) => Job): void {
  writeFileSync(rig.store.paths(id).record, JSON.stringify(change(rig.recordOnDisk(id))));
}

async function exitFileOf(rig: JobRig, id: string): Promise<void> {
  await eventually(
    'the result of the shim',
    async () => (await readExitStatus(rig.store.paths(id))) !== undefined,
  );
}

describe('a job that lives on', () => {
  test.each([
    ['0', 'success'],
    ['5', 'failed'],
  ])('is adopted; its log is whole and its exit code %s is known', async (code, state) => {
    const first = await startRig();
    const gate = path.join(first.root, 'gate');
    const { id, startedAt } = await first.submitReady({ program: 'waits-for-file', args: [gate, code] });
    const { rig, recovered } = await restart(first);
    expect(recovered).toEqual({ ...none, adopted: 1 });
    expect(await rig.jobs.get(id)).toMatchObject({ state: 'running', startedAt });
    writeFileSync(gate, '');
    const job = await rig.ended(id);
    expect(job).toMatchObject({ state, reason: 'exited', exitCode: Number(code), logSize: 11 });
    expect(rig.logText(id)).toBe('ready\ndone\n');
    expect(rig.recordOnDisk(id)).toEqual(job);
  });

  test('survives one restart after the other', async () => {
    let rig = await startRig();
    const gate = path.join(rig.root, 'gate');
    const { id } = await rig.submitReady({ program: 'waits-for-file', args: [gate, '0'] });
    for (let round = 0; round < 3; round += 1) {
      const next = await restart(rig);
      expect(next.recovered).toEqual({ ...none, adopted: 1 });
      rig = next.rig;
    }
    writeFileSync(gate, '');
    expect(await rig.ended(id)).toMatchObject({ state: 'success' });
    expect((await restart(rig)).recovered).toEqual(none);
  });

  test('keeps its directory busy', async () => {
    const first = await startRig();
    const gate = path.join(first.root, 'gate');
    const { id } = await first.submitReady({ program: 'waits-for-file', args: [gate, '0'] });
    const { rig } = await restart(first);
    const next = await rig.submit({ program: 'exits-with', args: ['0'] });
    expect(rig.jobs.queuePosition(next.id)).toBe(1);
    writeFileSync(gate, '');
    expect((await rig.ended(id)).state).toBe('success');
    expect((await rig.ended(next.id)).state).toBe('success');
  });

  test.each(['forever', 'ignores-int-and-term', 'setsid-child'])('can be canceled: %s', async (program) => {
    const first = await startRig();
    const { id } = await first.submitReady({ program });
    const { rig } = await restart(first);
    const job = await rig.cancel(id, { by: 'bob' });
    expect(processesOf(id)).toEqual([]);
    expect(job).toMatchObject({ state: 'canceled', error: 'canceled by bob', leftovers: [] });
  });

  test('ends when its time is up, also when that was while the service was away', async () => {
    const first = await startRig();
    const { id } = await first.submitReady({ program: 'forever' });
    first.crash();
    rewriteRecord(first, id, (job) => ({
      ...job,
      startedAt: new Date(Date.now() - 3_600_000).toISOString(),
    }));
    const { rig } = await restart(first);
    expect(await rig.ended(id)).toMatchObject({ state: 'failed', reason: 'timeout', leftovers: [] });
  });

  test('is interrupted when its shim is killed later', async () => {
    const first = await startRig();
    const { id } = await first.submitReady({ program: 'forever' });
    const { rig } = await restart(first);
    process.kill((await rig.shimOf(id)).pid, 'SIGKILL');
    expect(await rig.ended(id)).toMatchObject({ state: 'failed', reason: 'interrupted', leftovers: [] });
    expect(processesOf(id)).toEqual([]);
  });

  test('is found by its id when the service went down before it noted the process', async () => {
    const first = await startRig();
    const { id } = await first.submitReady({ program: 'setsid-child' });
    const paths = first.store.paths(id);
    const shim = await first.shimOf(id);
    first.crash();
    rmSync(paths.process);
    const { rig, recovered } = await restart(first);
    expect(recovered).toEqual({ ...none, adopted: 1 });
    expect(await readIdentity(paths)).toEqual(shim);
    expect(await rig.cancel(id)).toMatchObject({ state: 'canceled' });
    expect(processesOf(id)).toEqual([]);
  });

  test('is found by its id when the note is damaged', async () => {
    const first = await startRig();
    const { id } = await first.submitReady({ program: 'forever' });
    first.crash();
    writeFileSync(first.store.paths(id).process, '{"pid": 1');
    const { rig, recovered } = await restart(first);
    expect(recovered).toEqual({ ...none, adopted: 1 });
    expect(await rig.cancel(id)).toMatchObject({ state: 'canceled' });
  });
});

describe('a job that ended while the service was away', () => {
  test.each([
    ['0', { state: 'success', exitCode: 0, error: null }],
    ['7', { state: 'failed', exitCode: 7, error: 'fixture up failed: 7: done' }],
  ])('with exit code %s', async (code, expected) => {
    const first = await startRig();
    const gate = path.join(first.root, 'gate');
    const { id } = await first.submitReady({ program: 'waits-for-file', args: [gate, code] });
    first.crash();
    writeFileSync(gate, '');
    await exitFileOf(first, id);
    const { rig, recovered } = await restart(first);
    expect(recovered).toEqual({ ...none, finished: 1 });
    expect(await rig.jobs.get(id)).toMatchObject({ ...expected, reason: 'exited', logSize: 11 });
  });

  test('by a signal that was not ours', async () => {
    const first = await startRig();
    const { id } = await first.submitReady({ program: 'forever' });
    first.crash();
    process.kill(await first.programOf(id), 'SIGTERM');
    await exitFileOf(first, id);
    const { rig } = await restart(first);
    expect(await rig.jobs.get(id)).toMatchObject({ state: 'failed', reason: 'signaled', signal: 'SIGTERM' });
  });

  test('with everything that knew how', async () => {
    const first = await startRig();
    const { id } = await first.submitReady({ program: 'forever' });
    first.crash();
    await killAll(id);
    const { rig, recovered } = await restart(first);
    expect(recovered).toEqual({ ...none, interrupted: 1 });
    const job = await rig.jobs.get(id);
    expect(job).toMatchObject({
      state: 'failed',
      reason: 'interrupted',
      exitCode: null,
      signal: null,
      logSize: 6,
    });
    expect(job.error).toMatch(/went down while the job ran, and how it ended is unknown/);
  });

  test('but only its shim: the lab CLI is ended, for nobody could tell how it ends', async () => {
    const first = await startRig();
    const { id } = await first.submitReady({ program: 'setsid-child' });
    first.crash();
    const shim = await first.shimOf(id);
    process.kill(shim.pid, 'SIGKILL');
    await eventually('the shim to be gone', () => !isAlive(shim));
    const { rig, recovered } = await restart(first);
    expect(recovered).toEqual({ ...none, interrupted: 1 });
    expect(await rig.jobs.get(id)).toMatchObject({ state: 'failed', reason: 'interrupted', leftovers: [] });
    expect(processesOf(id)).toEqual([]);
  });

  test('before it began: the record says running, and no process was ever there', async () => {
    const first = await startRig();
    const starts = path.join(first.root, 'starts');
    await first.store.create(
      sampleJob({ state: 'running', startedAt: '2026-01-02T03:04:05.678Z', command: ['/bin/touch', starts] }),
      undefined,
    );
    const { rig, recovered } = await restart(first);
    expect(recovered).toEqual({ ...none, interrupted: 1 });
    expect(await rig.jobs.get(sampleJob().id)).toMatchObject({ state: 'failed', reason: 'interrupted' });
    expect(() => readFileSync(starts)).toThrow('ENOENT');
  });
});

describe('the queue', () => {
  test('keeps its order; each job starts exactly once', async () => {
    const first = await startRig({ maxRunningJobs: 1 });
    const [gate, order] = [path.join(first.root, 'gate'), path.join(first.root, 'order')];
    const running = await first.submitReady({ program: 'waits-for-file', args: [gate, '0'], workdir: 'a' });
    const ids: string[] = [];
    for (const [index, workdir] of ['b', 'a', 'b', 'c'].entries()) {
      const script = `echo ${index} >>"$0"`;
      ids.push((await first.submit({ program: '/bin/sh', args: ['-c', script, order], workdir })).id);
    }
    const { rig, recovered } = await restart(first, { maxRunningJobs: 1 });
    expect(recovered).toEqual({ ...none, adopted: 1, queued: 4 });
    expect(ids.map((id) => rig.jobs.queuePosition(id))).toEqual([1, 2, 3, 4]);
    writeFileSync(gate, '');
    for (const id of [running.id, ...ids]) expect((await rig.ended(id)).state).toBe('success');
    expect(readFileSync(order, 'utf8')).toBe('0\n1\n2\n3\n');
  });

  test('starts at once when nothing runs', async () => {
    const first = await startRig({ maxRunningJobs: 1 });
    const running = await first.submitReady({ program: 'forever', workdir: 'a' });
    const waiting = await first.submit({ program: 'exits-with', args: ['0'], workdir: 'b' });
    first.crash();
    await killAll(running.id);
    const { rig, recovered } = await restart(first);
    expect(recovered).toEqual({ ...none, queued: 1, interrupted: 1 });
    expect((await rig.ended(waiting.id)).state).toBe('success');
  });

  test('waits until it is known of every job whether it runs', async () => {
    const first = await startRig();
    const gate = path.join(first.root, 'gate');
    const held = { program: 'waits-for-file', args: [gate, '0'] };
    const early = await first.submitReady({ ...held, workdir: 'a' });
    const late = await first.submitReady({ ...held, workdir: 'b' });
    const next = await first.submit({ program: 'exits-with', args: ['0'], workdir: 'b' });
    first.crash();
    const rig = makeRig({ root: first.root });
    const adopt = rig.supervisor.adopt.bind(rig.supervisor);
    // The earlier one ends at once, before the later one was looked at.
    rig.supervisor.adopt = async (job, process) =>
      job.id === early.id ? void adopt(job, process) : adopt(job, process);
    expect(await rig.start()).toEqual({ ...none, adopted: 2, queued: 1 });
    expect(rig.jobs.queuePosition(next.id)).toBe(1);
    writeFileSync(gate, '');
    for (const { id } of [early, late, next]) expect((await rig.ended(id)).state).toBe('success');
  });

  test('ids go on growing though the clock was set back', async () => {
    const first = await startRig();
    const future = 'job-9999999999998-abcdef';
    await first.store.create(sampleJob({ id: future, state: 'failed' }), undefined);
    const { rig } = await restart(first);
    const { id } = await rig.submit({ program: '/bin/true' });
    expect(id).toMatch(/^job-9999999999999-/);
    await rig.ended(id);
  });
});

test('a damaged record is set aside and the other jobs are recovered', async () => {
  const first = await startRig();
  const gate = path.join(first.root, 'gate');
  const { id } = await first.submitReady({ program: 'waits-for-file', args: [gate, '0'] });
  await first.store.create(sampleJob(), undefined);
  first.crash();
  writeFileSync(first.store.paths(sampleJob().id).record, '{"half": ');
  const { rig, recovered } = await restart(first);
  expect(recovered).toEqual({ ...none, adopted: 1 });
  expect(rig.log.errors()).toEqual(['a job record is damaged and was set aside']);
  writeFileSync(gate, '');
  expect((await rig.ended(id)).state).toBe('success');
});

test('a job whose record is damaged while it runs is left alone, and named at every start until it is gone', async () => {
  const first = await startRig();
  const { id } = await first.submitReady({ program: 'setsid-child' });
  await first.processCount(id, 3);
  const pids = processesOf(id);
  first.crash();
  writeFileSync(first.store.paths(id).record, '{"half": ');
  const running = 'a job without a sound record still runs; wait for its end or end it by hand';
  const second = await restart(first);
  expect(second.recovered).toEqual(none);
  expect(second.rig.log.errors()).toEqual(['a job record is damaged and was set aside', running]);
  expect(second.rig.log.entries.find(({ message }) => message === running)?.fields).toEqual({
    job: id,
    pids: expect.arrayContaining(pids),
  });
  expect(processesOf(id)).toEqual(pids);
  const third = await restart(second.rig);
  expect(third.rig.log.errors()).toEqual([running]);
  await killAll(id);
  expect((await restart(third.rig)).rig.log.errors()).toEqual([]);
});
