/** Which of the jobs on record was the last start of a lab. */
import { expect, test } from '@jest/globals';
import { findStartIn } from '../../../../src/jobs/intake/last-start.ts';
import type { Job } from '../../../../src/jobs/model/job.ts';
import { sampleId, sampleJob } from '../../../support/sample-job.ts';
import { storedJobs } from '../../../support/stored-jobs.ts';

const { openStore } = storedJobs();

/** The number of the job that is found in `/labs/demo`, and by the instance `demo`. */
async function found(...jobs: readonly Partial<Job>[]): Promise<readonly unknown[]> {
  const { store } = await openStore();
  for (const [number, changes] of jobs.entries())
    await store.create(
      sampleJob({ id: sampleId(number), instance: 'demo', command: [String(number)], ...changes }),
      undefined,
    );
  const find = findStartIn(store);
  const starts = [await find({ workdir: '/labs/demo' }), await find({ instance: 'demo' })];
  return starts.map((start) => start && [start.command[0], start.mayBeUnlisted]);
}

const left: Partial<Job> = { state: 'failed', mayHaveLeftLab: true };

test('the newest that started something is found, by its directory and by its instance', async () => {
  expect(await found()).toEqual([undefined, undefined]);
  expect(await found(left, { state: 'success' })).toEqual([
    ['1', false],
    ['1', false],
  ]);
  expect(await found({ state: 'success' }, { ...left, action: 'restart' })).toEqual([
    ['1', true],
    ['1', true],
  ]);
  expect(await found(left, { state: 'queued', workdir: '/labs/other' })).toEqual([
    ['0', true],
    ['1', true],
  ]);
});

test('refused starts, dry runs and other actions tell of no lab', async () => {
  const others: Partial<Job>[] = [
    { state: 'failed' },
    { state: 'canceled' },
    { state: 'success', request: { dryRun: true } },
    { state: 'success', action: 'down' },
    { ...left, action: 'down' },
  ];
  expect(await found(...others)).toEqual([undefined, undefined]);
  expect(await found(left, ...others)).toEqual([
    ['0', true],
    ['0', true],
  ]);
});

test('a record that cannot be read counts as none', async () => {
  const { store } = await openStore();
  await store.create(sampleJob({ state: 'success' }), undefined);
  const broken = { select: store.select.bind(store), get: async () => Promise.reject(new Error('EIO')) };
  expect(await findStartIn(broken)({ workdir: '/labs/demo' })).toBeUndefined();
});
