import { describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import type { ProcessEnd } from '../../src/jobs/run/process.ts';
import { bootId } from '../../src/lib/processes/processes.ts';
import { deferred } from '../../src/lib/async/deferred.ts';
import { eventually } from '../support/eventually.ts';
import { failureOf } from '../support/failure-of.ts';
import { processesOf } from '../support/job-processes.ts';
import { jobRigs, type JobRig } from '../support/job-rig.ts';
import { sampleJob } from '../support/sample-job.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const base = temporaryDirectory();
const makeRig = jobRigs();
const longMs = 30_000;

async function startRig(options: Partial<Parameters<typeof makeRig>[0]> = {}): Promise<JobRig> {
  const rig = makeRig({ root: mkdtempSync(path.join(base, 'machine-')), ...options });
  await rig.start();
  return rig;
}

describe('a queued job', () => {
  test('is canceled at once and never starts; those behind it move up', async () => {
    const rig = await startRig({ maxRunningJobs: 1 });
    const blocker = await rig.submitReady({ program: 'forever' });
    const starts = path.join(rig.root, 'starts');
    const queued = await rig.submit({ program: 'counts-its-starts', args: [starts] });
    const behind = await rig.submit({ program: 'exits-with', args: ['0'], workdir: 'other' });
    expect(await rig.positions([behind.id])).toEqual([2]);
    const job = await rig.cancel(queued.id, { by: 'bob' });
    expect(job).toMatchObject({
      state: 'canceled',
      reason: 'canceled',
      startedAt: null,
      error: 'canceled by bob before it started',
      logSize: 0,
    });
    expect(await rig.positions([behind.id])).toEqual([1]);
    await rig.cancel(blocker.id);
    expect((await rig.ended(behind.id)).state).toBe('success');
    expect(existsSync(starts)).toBe(false);
    expect(rig.history.get(queued.id)).toEqual(['queued', 'canceled']);
  });
});

describe('a job that is just starting', () => {
  test.each(Array.from({ length: 12 }, (_, turns) => turns))(
    '%d turns of the event loop after its record',
    async (turns) => {
      const rig = await startRig();
      const created = once(rig.store, 'change') as Promise<[{ id: string }]>;
      const submitted = rig.submit({ program: 'setsid-child' });
      const [{ id }] = await created;
      for (let done = 0; done < turns; done += 1) await turn();
      const job = await rig.cancel(id, { by: 'alice' });
      await submitted;
      expect(processesOf(id)).toEqual([]);
      expect(job).toMatchObject({ state: 'canceled', reason: 'canceled', leftovers: [] });
      expect(job.error).toMatch(/^canceled by alice( before it started)?$/);
      expect(rig.recordOnDisk(id).state).toBe('canceled');
    },
  );

  test('from within the announcement of the start', async () => {
    const rig = await startRig();
    const canceled = deferred<unknown>();
    rig.store.on('change', (job) => {
      if (job.state === 'running') void rig.cancel(job.id).then(canceled.resolve, canceled.reject);
    });
    const { id } = await rig.submit({ program: 'forever' });
    expect(await canceled.promise).toMatchObject({ state: 'canceled' });
    expect(processesOf(id)).toEqual([]);
  });

  test('twenty submissions and cancels at once', async () => {
    const rig = await startRig({ maxRunningJobs: 20 });
    const jobs = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const { id } = await rig.submit({ program: 'ignores-sigint', workdir: `lab-${index}` });
        return rig.cancel(id);
      }),
    );
    expect(new Set(jobs.map(({ state }) => state))).toEqual(new Set(['canceled']));
    for (const { id } of jobs) expect(processesOf(id)).toEqual([]);
  });
});

describe('a job that has ended', () => {
  test('but whose end is not on record yet keeps its own outcome', async () => {
    const verifying = deferred<void>();
    const verified = deferred<undefined>();
    const verify = async (): Promise<undefined> => {
      verifying.resolve();
      return verified.promise;
    };
    const rig = await startRig({ lab: { verify } });
    const { id } = await rig.submit({ program: 'exits-with', args: ['0'] });
    await verifying.promise;
    expect((await rig.cancel(id, { waitMs: 0 })).state).toBe('canceling');
    verified.resolve(undefined);
    expect(await rig.ended(id)).toMatchObject({
      state: 'success',
      reason: 'exited',
      exitCode: 0,
      error: null,
    });
  });

  test('but whose exit the service has not noticed yet keeps its own outcome', async () => {
    const rig = await startRig();
    const job = sampleJob({ state: 'running', startedAt: new Date().toISOString(), stopRequest: null });
    await rig.store.create(job, undefined);
    const noticed = deferred<ProcessEnd>();
    const identity = { pid: 4_194_305, startTicks: 1, bootId };
    const attended = rig.supervisor.adopt(job, { identity, ended: noticed.promise });
    writeFileSync(rig.store.paths(job.id).exit, '{"exitCode":3}');
    expect((await rig.cancel(job.id, { waitMs: 0 })).state).toBe('canceling');
    noticed.resolve({ kind: 'exited', exitCode: 3 });
    await attended;
    expect(await rig.record(job.id)).toMatchObject({ state: 'failed', reason: 'exited', exitCode: 3 });
  });

  test('and one that never was', async () => {
    const rig = await startRig();
    expect((await failureOf(rig.cancel('job-1-000000'))).code).toBe('job-not-found');
  });
});

describe('a time-out', () => {
  test('stays the reason when a cancel comes later', async () => {
    const rig = await startRig({ cancelGraceMs: longMs });
    const { id } = await rig.submit({ program: 'ignores-int-and-term', body: { timeoutSeconds: 0.2 } });
    await eventually(
      'the time to be up',
      async () => (await rig.record(id)).stopRequest?.reason === 'timeout',
    );
    const job = await rig.cancel(id, { by: 'alice', force: true });
    expect(job).toMatchObject({ state: 'failed', reason: 'timeout', leftovers: [] });
    expect(processesOf(id)).toEqual([]);
  });
});

test('cancelAll ends what runs and leaves what waits', async () => {
  const rig = await startRig();
  const running = [
    await rig.submitReady({ program: 'forever', workdir: 'a' }),
    await rig.submitReady({ program: 'setsid-child', workdir: 'b' }),
  ];
  const waiting = await rig.submit({ program: 'forever', workdir: 'a' });
  await rig.lifecycle.close();
  await rig.jobs.cancelAll();
  for (const { id } of running) {
    expect(await rig.record(id)).toMatchObject({
      state: 'canceled',
      error: 'canceled by the shutdown of the service',
    });
    expect(processesOf(id)).toEqual([]);
  }
  expect(await rig.record(waiting.id)).toMatchObject({ state: 'queued' });
});
