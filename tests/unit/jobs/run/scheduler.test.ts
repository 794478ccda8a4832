import { expect, test } from '@jest/globals';
import type { Job } from '../../../../src/jobs/model/job.ts';
import { JobQueue, PostponedStarts } from '../../../../src/jobs/run/job-queue.ts';
import { Scheduler } from '../../../../src/jobs/run/scheduler.ts';
import type { Supervisor } from '../../../../src/jobs/run/supervisor.ts';
import { deferred } from '../../../../src/lib/async/deferred.ts';
import { eventually } from '../../../support/eventually.ts';
import { sampleId, sampleJob } from '../../../support/sample-job.ts';
import { settled } from '../../../support/slow-hashes.ts';
import { refuseWrites, storedJobs } from '../../../support/stored-jobs.ts';

const { openStore } = storedJobs();

type Run = Supervisor['run'];

const runs: Run = async (_job, onStarted) => Promise.resolve(onStarted());

/** A scheduler with one job that waits; what it starts ends at once, unless `run` says otherwise. */
async function waiting(run: Run = runs) {
  const { store, log } = await openStore();
  const queue = new JobQueue(1);
  const jobs: Job[] = [];
  const started: string[] = [];
  const supervisor = {
    run: async (job: Job, onStarted: () => void): Promise<void> => {
      jobs.push(job);
      started.push(job.id);
      return run(job, onStarted);
    },
  } as unknown as Supervisor;
  const postponed = new PostponedStarts();
  const scheduler = new Scheduler({ store, queue, supervisor, postponed, log });
  const add = async (number: number): Promise<string> => {
    const id = sampleId(number);
    await store.create(sampleJob({ id }), undefined);
    queue.add(id, '/labs/demo');
    return id;
  };
  return { scheduler, queue, jobs, started, id: await add(1), add, store, log, postponed };
}

test('starts what waits', async () => {
  const { scheduler, jobs, id } = await waiting();
  const before = new Date().toISOString();
  scheduler.startNext();
  await scheduler.close();
  expect(jobs).toMatchObject([{ id, state: 'running' }]);
  expect([before, jobs[0]?.startedAt ?? '', new Date().toISOString()].toSorted()[1]).toBe(jobs[0]?.startedAt);
});

test('starts nothing while it is held, and all of it once it is open', async () => {
  const { scheduler, started, queue, id } = await waiting();
  scheduler.hold();
  scheduler.startNext();
  expect(queue.turnOf(id)?.position).toBe(1);
  scheduler.open();
  await scheduler.close();
  expect(started).toEqual([id]);
});

test('starts nothing after a stop, also when the stop came during the start of the service', async () => {
  const { scheduler, queue, started, id } = await waiting();
  await scheduler.close();
  scheduler.hold();
  scheduler.open();
  scheduler.startNext();
  expect(queue.turnOf(id)?.position).toBe(1);
  expect(started).toEqual([]);
});

/** The same where the record of that job cannot be written until `mend`, and another waits for it; its start has failed. */
async function refused() {
  const first = await waiting();
  const { scheduler, id, store, log } = first;
  const later = await first.add(2);
  const mend = refuseWrites(store.paths(id).directory);
  scheduler.startNext();
  await eventually('the error', () => log.errors().length > 0);
  return { ...first, later, mend };
}

test('a job whose record cannot be written keeps its turn, and starts when it can', async () => {
  const { scheduler, queue, started, id, later, log, postponed, mend } = await refused();
  expect(log.entries.at(-1)?.fields).toEqual({ job: id, cause: expect.any(String) });
  expect([...postponed.keys()]).toEqual([id]);
  expect(queue.turnOf(later)).toEqual({ position: 1, waitsFor: id });
  mend();
  await eventually('both', () => started.length === 2);
  expect(started).toEqual([id, later]);
  expect(postponed.fault).toBeNull();
  await scheduler.close();
});

test.each([false, true])(
  'one that was canceled meanwhile (and removed: %s) gives up its turn',
  async (isRemoved) => {
    const { scheduler, started, id, later, store, postponed, mend } = await refused();
    mend();
    await store.update(id, (job) => ({ ...job, state: 'canceled', finishedAt: '2026-01-02T03:04:07.000Z' }));
    if (isRemoved) await store.remove(id);
    await eventually('the other', () => started.length > 0);
    expect(started).toEqual([later]);
    expect(postponed.fault).toBeNull();
    await scheduler.close();
  },
);

test('a job that turns out to be canceled when it is to start is not started, and gives back its place', async () => {
  const { scheduler, started, id, add, store, log } = await waiting();
  const later = await add(2);
  await store.update(id, (job) => ({ ...job, state: 'canceled', finishedAt: '2026-01-02T03:04:07.000Z' }));
  scheduler.startNext();
  await eventually('the other', () => started.length > 0);
  await scheduler.close();
  expect(started).toEqual([later]);
  expect(log.errors()).toEqual([]);
});

test('a job that could not be started, and waits again, keeps its turn', async () => {
  let failures = 1;
  const first = await waiting(async (job, onStarted) => {
    if (failures === 0) return onStarted();
    failures -= 1;
    first.postponed.set(job.id, 'too many open files');
    await first.store.update(job.id, () => ({ ...job, state: 'queued', startedAt: null }));
  });
  const { scheduler, queue, started, id, add, postponed, store } = first;
  const later = await add(2);
  scheduler.startNext();
  await eventually('it waits again', () => store.summary(id)?.state === 'queued' && failures === 0);
  // The machine may still be short of the same; whoever waits behind it goes on waiting.
  expect(queue.turnOf(later)).toEqual({ position: 1, waitsFor: id });
  expect(postponed.fault).toContain('too many open files');
  await eventually('both', () => started.length === 3);
  expect(started).toEqual([id, id, later]);
  expect(postponed.fault).toBeNull();
  await scheduler.close();
});

test('a stop waits until each job that was to start has its process, and not for its end', async () => {
  const [called, ended] = [deferred<() => void>(), deferred<void>()];
  const { scheduler, postponed, id } = await waiting(async (_job, onStarted) => {
    called.resolve(onStarted);
    return ended.promise;
  });
  postponed.set(id, 'of an earlier try');
  scheduler.startNext();
  const onStarted = await called.promise;
  let isClosed = false;
  const closed = scheduler.close().then(() => (isClosed = true));
  await settled();
  expect(isClosed).toBe(false);
  onStarted();
  await closed;
  expect(postponed.fault).toBeNull();
  ended.resolve();
});
