import { expect, test } from '@jest/globals';
import { JobQueue } from '../../../../src/jobs/run/job-queue.ts';
import { PostponedStarts } from '../../../../src/jobs/run/postponed-starts.ts';
import { Scheduler } from '../../../../src/jobs/run/scheduler.ts';
import type { Supervisor } from '../../../../src/jobs/run/supervisor.ts';
import { eventually } from '../../../support/eventually.ts';
import { sampleId, sampleJob } from '../../../support/sample-job.ts';
import { refuseWrites, storedJobs } from '../../../support/stored-jobs.ts';

const { openStore } = storedJobs();

/** A scheduler with one job that waits; what it starts ends at once. */
async function waiting() {
  const { store, log } = await openStore();
  const queue = new JobQueue(1);
  const started: string[] = [];
  const supervisor = {
    run: async ({ id }: { id: string }, onStarted: () => void): Promise<void> => {
      started.push(id);
      onStarted();
      return Promise.resolve();
    },
  } as unknown as Supervisor;
  const postponed = new PostponedStarts();
  const scheduler = new Scheduler({ store, queue, supervisor, postponed, log });
  const id = sampleId(1);
  await store.create(sampleJob({ id }), undefined);
  queue.add(id, '/labs/demo');
  return { scheduler, queue, started, id, store, log, postponed };
}

test('starts what waits', async () => {
  const { scheduler, started, id } = await waiting();
  scheduler.startNext();
  await scheduler.close();
  expect(started).toEqual([id]);
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
  const { scheduler, queue, id, store, log } = first;
  const later = sampleId(2);
  await store.create(sampleJob({ id: later }), undefined);
  queue.add(later, '/labs/demo');
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

test('one that was canceled meanwhile gives up its turn', async () => {
  const { scheduler, started, id, later, store, postponed, mend } = await refused();
  mend();
  await store.update(id, (job) => ({ ...job, state: 'canceled', finishedAt: '2026-01-02T03:04:07.000Z' }));
  await eventually('the other', () => started.length > 0);
  expect(started).toEqual([later]);
  expect(postponed.fault).toBeNull();
  await scheduler.close();
});
