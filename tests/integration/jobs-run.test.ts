import { describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { renameSync } from 'node:fs';
import { isTerminal } from '../../src/jobs/model/job.ts';
import { JobEnds } from '../../src/jobs/store/job-ends.ts';
import { logExtent } from '../../src/jobs/log/log-file.ts';
import { deferred } from '../../src/lib/async/deferred.ts';
import { eventually } from '../support/eventually.ts';
import { failureOf } from '../support/failure-of.ts';
import { killAll, processesOf } from '../support/job-processes.ts';
import { fixtureProgram } from '../support/programs.ts';
import { gated, restarts } from '../support/restarted-rig.ts';

const { startRig } = restarts();

describe('the log', () => {
  test('is there whole, though the disk was away when the job ended', async () => {
    const rig = await startRig();
    const { submission, open } = gated(rig, 'a', 'lab');
    const { id } = await rig.submitReady(submission);
    const { directory } = rig.store;
    renameSync(directory, `${directory}.away`);
    open();
    const job = await rig.ended(id);
    expect(job).toMatchObject({ state: 'success', logSize: null });
    renameSync(`${directory}.away`, directory);
    expect(await rig.jobs.get(id)).toMatchObject({ logSize: 11 });
    expect(await logExtent(job, rig.store.paths(id).log)).toEqual({ size: 11, end: 11, complete: true });
  });

  test.each([
    ['exits-with', ['0']],
    ['invalid-utf8', []],
    ['/usr/bin/seq', ['1', '300000']],
  ])('of %s is what it printed, byte for byte, and complete when the job ends', async (program, args) => {
    const rig = await startRig();
    const atEnd = deferred<Buffer>();
    rig.store.on('change', (job) => {
      if (isTerminal(job.state)) atEnd.resolve(rig.logBytes(job.id));
    });
    const { id } = await rig.submit({ program, args });
    const job = await rig.ended(id);
    const file = program.startsWith('/') ? program : fixtureProgram(program);
    const printed = execFileSync('/bin/sh', ['-c', '"$@" 2>&1', 'sh', file, ...args], { maxBuffer: 2 ** 26 });
    expect((await atEnd.promise).equals(printed)).toBe(true);
    expect(job).toMatchObject({ state: 'success', logSize: printed.length });
    expect(rig.logBytes(id).equals(printed)).toBe(true);
  });
});

describe('the end', () => {
  test.each([0, 1, 3, 127, 255])('with exit code %d', async (code) => {
    const rig = await startRig();
    const { id } = await rig.submit({ program: 'exits-with', args: [String(code)] });
    const job = await rig.ended(id);
    expect(job).toMatchObject({
      state: code === 0 ? 'success' : 'failed',
      reason: 'exited',
      exitCode: code,
      signal: null,
      error: code === 0 ? null : `fixture up failed: ${code}: one last word`,
      progress: { message: 'one last word' },
    });
    expect(rig.history.get(id)).toEqual(['queued', 'running', job.state]);
    expect(rig.recordOnDisk(id)).toEqual(job);
    const times = [job.createdAt, job.startedAt, job.finishedAt].map(String);
    expect(times).toEqual(times.toSorted());
  });

  test('by a signal of its own', async () => {
    const rig = await startRig();
    const job = await rig.ended((await rig.submit({ program: 'kill-self' })).id);
    expect(job).toMatchObject({ state: 'failed', reason: 'signaled', exitCode: null, signal: 'SIGTERM' });
  });

  test('by a SIGKILL that somebody sent to the lab CLI', async () => {
    const rig = await startRig();
    const { id } = await rig.submitReady({ program: 'forever' });
    process.kill(await rig.programOf(id), 'SIGKILL');
    expect(await rig.ended(id)).toMatchObject({
      state: 'failed',
      reason: 'signaled',
      signal: 'SIGKILL',
      error: 'fixture up failed: SIGKILL: ready',
    });
    expect(rig.logText(id)).toBe('ready\n');
  });

  test('by a SIGKILL of the shim: what it leaves is ended as well', async () => {
    const rig = await startRig();
    const { id } = await rig.submitReady({ program: 'setsid-child' });
    const shim = await rig.shimOf(id);
    await rig.processCount(id, 3);
    process.kill(shim.pid, 'SIGKILL');
    expect(await rig.ended(id)).toMatchObject({
      state: 'failed',
      reason: 'signaled',
      signal: 'SIGKILL',
      leftovers: [],
    });
    expect(processesOf(id)).toEqual([]);
  });

  test('does not wait for a child that holds the output, nor harm it', async () => {
    const rig = await startRig();
    const { id } = await rig.submit({ program: 'forks-and-exits' });
    expect(await rig.ended(id)).toMatchObject({ state: 'success', exitCode: 0 });
    await eventually('the shim to be gone', () => processesOf(id).length === 1);
    await killAll(id);
  });

  test('comes even when the supervision itself fails', async () => {
    let calls = 0;
    const errorSentence = (): string => {
      calls += 1;
      if (calls === 1) throw new Error('a bug');
      return 'sentence';
    };
    const rig = await startRig({ lab: { errorSentence } });
    const job = await rig.ended((await rig.submit({ program: 'exits-with', args: ['1'] })).id);
    expect(job).toMatchObject({ state: 'failed', reason: 'interrupted' });
    expect(rig.log.errors()).toContain('supervision of a job failed');
  });

  test('of many short jobs at once is missed by none', async () => {
    const rig = await startRig({ maxRunningJobs: 40 });
    const jobs = await Promise.all(
      Array.from({ length: 80 }, async (_, index) =>
        rig.submit({ program: '/bin/true', workdir: `lab-${index}` }),
      ),
    );
    const states = await Promise.all(jobs.map(async ({ id }) => (await rig.ended(id)).state));
    expect(states).toEqual(Array.from({ length: 80 }, () => 'success'));
  });

  test('comes when the time is up', async () => {
    const rig = await startRig();
    const { id } = await rig.submit({ program: 'ignores-sigint', body: { timeoutSeconds: 0.4 } });
    const job = await rig.ended(id);
    expect(job).toMatchObject({ state: 'failed', reason: 'timeout', exitCode: null, leftovers: [] });
    expect(job.error).toBe('up took longer than its limit of 400ms and was ended');
    expect(processesOf(id)).toEqual([]);
  });
});

describe('waiting for the end', () => {
  test('gives the job as it is when the time is up or the caller goes away, and leaves no listener', async () => {
    const rig = await startRig();
    const wait = async (jobId: string, ms: number) =>
      rig.jobs.wait(jobId, { ms, signal: new AbortController().signal });
    const gate = gated(rig, '1', 'lab');
    const { id } = await rig.submitReady(gate.submission);
    const before = rig.store.listenerCount('change');
    expect((await wait(id, 0)).state).toBe('running');
    expect((await rig.jobs.wait(id, { ms: 60_000, signal: AbortSignal.abort() })).state).toBe('running');
    const many = Promise.all(Array.from({ length: 500 }, async () => wait(id, 60_000)));
    gate.open();
    expect((await many).map(({ state }) => state)).toEqual(Array.from({ length: 500 }, () => 'success'));
    expect((await wait(id, 60_000)).state).toBe('success');
    expect((await failureOf(wait('job-1-000000', 60_000))).code).toBe('job-not-found');
    expect(rig.store.listenerCount('change')).toBe(before);
  });

  test('keeps nothing of those that no longer wait', async () => {
    const rig = await startRig();
    const ends = new JobEnds(rig.store);
    const { id } = await rig.submitReady({ program: 'forever' });
    const waits = async (signal?: AbortSignal) => ends.wait(id, async () => false, { ms: 60_000, signal });
    const abort = new AbortController();
    const aborted = waits(abort.signal);
    const woken = [waits(), waits()];
    expect(ends.waiterCount(id)).toBe(3);
    abort.abort();
    await aborted;
    expect(ends.waiterCount(id)).toBe(2);
    await rig.cancel(id);
    await Promise.all(woken);
    expect(ends.waiterCount(id)).toBe(0);
  });
});
