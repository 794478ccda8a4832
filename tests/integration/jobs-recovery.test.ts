import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readIdentity } from '../../src/jobs/store/job-files.ts';
import { jobScanner } from '../../src/jobs/run/job-processes.ts';
import { isAlive } from '../../src/lib/processes/processes.ts';
import { eventually } from '../support/eventually.ts';
import { killAll, processesOf } from '../support/job-processes.ts';
import { exitFileOf, noneRecovered, restarts, rewriteRecord } from '../support/restarted-rig.ts';

const { makeRig, startRig, restart } = restarts();

afterEach(() => void jest.restoreAllMocks());

describe('a job that lives on', () => {
  test.each([
    ['0', 'success'],
    ['5', 'failed'],
  ])('is adopted; its log is whole and its exit code %s is known', async (code, state) => {
    const first = await startRig();
    const gate = path.join(first.root, 'gate');
    const { id, startedAt } = await first.submitReady({ program: 'waits-for-file', args: [gate, code] });
    const { rig, recovered } = await restart(first);
    expect(recovered).toEqual({ ...noneRecovered, adopted: 1 });
    expect(await rig.record(id)).toMatchObject({ state: 'running', startedAt });
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
      expect(next.recovered).toEqual({ ...noneRecovered, adopted: 1 });
      rig = next.rig;
    }
    writeFileSync(gate, '');
    expect(await rig.ended(id)).toMatchObject({ state: 'success' });
    expect((await restart(rig)).recovered).toEqual(noneRecovered);
  });

  test('and of which no process was recorded may end while it is looked for: its result is found', async () => {
    const first = await startRig();
    const gate = path.join(first.root, 'gate');
    const { id } = await first.submitReady({ program: 'waits-for-file', args: [gate, '0'] });
    rmSync(first.store.paths(id).process);
    const scan = jobScanner.scan.bind(jobScanner);
    jest.spyOn(jobScanner, 'scan').mockImplementationOnce(async () => {
      writeFileSync(gate, '');
      await exitFileOf(first, id);
      return scan();
    });
    const { rig, recovered } = await restart(first);
    expect(recovered).toEqual({ ...noneRecovered, finished: 1 });
    expect(await rig.record(id)).toMatchObject({ state: 'success', exitCode: 0 });
  });

  test('keeps its directory busy', async () => {
    const first = await startRig();
    const gate = path.join(first.root, 'gate');
    const { id } = await first.submitReady({ program: 'waits-for-file', args: [gate, '0'] });
    const { rig } = await restart(first);
    const next = await rig.submit({ program: 'exits-with', args: ['0'] });
    expect(await rig.positions([next.id])).toEqual([1]);
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

  test('has its limit from now on when the clock was ahead as it started', async () => {
    const first = await startRig();
    const { id } = await first.submitReady({ program: 'forever' });
    first.crash();
    rewriteRecord(first, id, (job) => ({ ...job, startedAt: '2999-01-02T03:04:05.678Z', timeoutMs: 100 }));
    const { rig } = await restart(first);
    expect(await rig.ended(id)).toMatchObject({ state: 'failed', reason: 'timeout' });
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
    expect(recovered).toEqual({ ...noneRecovered, adopted: 1 });
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
    expect(recovered).toEqual({ ...noneRecovered, adopted: 1 });
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
    const { id, startedAt } = await first.submitReady({ program: 'waits-for-file', args: [gate, code] });
    first.crash();
    writeFileSync(gate, '');
    await exitFileOf(first, id);
    const endedAt = new Date(Date.parse(startedAt ?? '') + 1);
    utimesSync(first.store.paths(id).exit, endedAt, endedAt);
    const { rig, recovered } = await restart(first);
    expect(recovered).toEqual({ ...noneRecovered, finished: 1 });
    const job = await rig.record(id);
    expect(job).toMatchObject({ ...expected, reason: 'exited', logSize: 11 });
    // When it ended, not when that was found out.
    expect(job.finishedAt).toBe(endedAt.toISOString());
  });

  test('by a signal that was not ours', async () => {
    const first = await startRig();
    const { id } = await first.submitReady({ program: 'forever' });
    first.crash();
    process.kill(await first.programOf(id), 'SIGTERM');
    await exitFileOf(first, id);
    const { rig } = await restart(first);
    expect(await rig.record(id)).toMatchObject({ state: 'failed', reason: 'signaled', signal: 'SIGTERM' });
  });

  test('with everything that knew how', async () => {
    const first = await startRig();
    const { id } = await first.submitReady({ program: 'forever' });
    first.crash();
    await killAll(id);
    const { rig, recovered } = await restart(first);
    expect(recovered).toEqual({ ...noneRecovered, interrupted: 1 });
    const job = await rig.record(id);
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
    expect(recovered).toEqual({ ...noneRecovered, interrupted: 1 });
    expect(await rig.record(id)).toMatchObject({ state: 'failed', reason: 'interrupted', leftovers: [] });
    expect(processesOf(id)).toEqual([]);
  });
});

describe('the queue', () => {
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
    expect(await rig.start()).toEqual({ ...noneRecovered, adopted: 2, queued: 1 });
    expect(await rig.positions([next.id])).toEqual([1]);
    writeFileSync(gate, '');
    for (const { id } of [early, late, next]) expect((await rig.ended(id)).state).toBe('success');
  });
});
