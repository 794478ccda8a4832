import { describe, expect, test } from '@jest/globals';
import { existsSync } from 'node:fs';
import type { JobState } from '../../../../src/jobs/model/job.ts';
import { applyRetention, expiredJobs } from '../../../../src/jobs/store/retention.ts';
import type { JobSummary } from '../../../../src/jobs/store/job-summary.ts';
import type { JobStore } from '../../../../src/jobs/store/job-store.ts';
import { oldJobsRemoval } from '../../../../src/service/remove-old-jobs.ts';
import { MemoryLogger } from '../../../support/memory-logger.ts';
import { sampleId, sampleJob } from '../../../support/sample-job.ts';
import { storedJobs } from '../../../support/stored-jobs.ts';

const { openStore } = storedJobs();
const dayMs = 86_400_000;
const nowMs = Date.parse('2026-11-21T00:00:00.000Z');

const ended = { state: 'failed', finishedAt: '2020-01-01T00:00:00.000Z' } as const;

const GiB = 2 ** 30;
const roomy = { keepJobs: 100, keepDays: 30, keepSizeBytes: 20 * GiB };

function summary(id: string, ageDays: number | null, state: JobState = 'success'): JobSummary {
  const finishedAt = ageDays === null ? null : new Date(nowMs - ageDays * dayMs).toISOString();
  return {
    id,
    state,
    action: 'up',
    instance: null,
    workdir: '/lab',
    workspace: null,
    labels: {},
    createdAt: new Date(0).toISOString(),
    finishedAt,
    size: 0,
    requestedBy: null,
    idempotency: null,
    cleanupOf: null,
  };
}

test('the oldest above the number go', () => {
  const jobs = ['a', 'b', 'c', 'd'].map((id) => summary(id, 1));
  expect(expiredJobs(jobs, { ...roomy, keepJobs: 2, keepDays: 30 }, nowMs)).toEqual(['a', 'b']);
  expect(expiredJobs(jobs, { ...roomy, keepJobs: 4, keepDays: 30 }, nowMs)).toEqual([]);
});

test('those older than the days go, wherever they stand', () => {
  const jobs = [summary('a', 29.9), summary('b', 30.1), summary('c', 30), summary('d', 400)];
  expect(expiredJobs(jobs, { ...roomy, keepJobs: 10, keepDays: 30 }, nowMs)).toEqual(['b', 'd']);
});

describe('size', () => {
  const sized = (id: string, size: number, ageDays = 1): JobSummary => ({ ...summary(id, ageDays), size });

  test('the oldest go until the rest is not over it', () => {
    const jobs = [sized('a', 4), sized('b', 1), sized('c', 3), sized('d', 2)];
    expect(expiredJobs(jobs, { ...roomy, keepSizeBytes: 6 }, nowMs)).toEqual(['a']);
    expect(expiredJobs(jobs, { ...roomy, keepSizeBytes: 5 }, nowMs)).toEqual(['a', 'b']);
    expect(expiredJobs(jobs, { ...roomy, keepSizeBytes: 10 }, nowMs)).toEqual([]);
  });

  test('the one that ended last stays though it alone is over it: somebody still has to see how it ended', () => {
    const jobs = [sized('a', 7, 2), sized('b', 7, 1), sized('c', 1, 3), summary('r', null, 'running')];
    expect(expiredJobs(jobs, { ...roomy, keepSizeBytes: 6 }, nowMs)).toEqual(['a', 'c']);
    expect(expiredJobs(jobs, { ...roomy, keepSizeBytes: 6, keepJobs: 0 }, nowMs)).toEqual(['a', 'b', 'c']);
  });

  test('what is too old goes first and makes room', () => {
    const jobs = [sized('a', 4), sized('b', 4, 31), sized('c', 4)];
    expect(expiredJobs(jobs, { ...roomy, keepSizeBytes: 8 }, nowMs)).toEqual(['b']);
    // It has made that room once: the others still have to fit.
    const more = [sized('a', 4, 31), sized('b', 4), sized('c', 4), sized('d', 4)];
    expect(expiredJobs(more, { ...roomy, keepSizeBytes: 8 }, nowMs)).toEqual(['a', 'b']);
    expect(expiredJobs(more, { ...roomy, keepJobs: 2 }, nowMs)).toEqual(['a', 'b']);
  });
});

test('an unfinished job never goes, and does not count', () => {
  const jobs = [summary('q', null, 'queued'), summary('r', null, 'running'), summary('c', null, 'canceling')];
  const finished = [summary('a', 1), summary('b', 1, 'failed'), summary('d', 1, 'canceled')];
  expect(expiredJobs([...jobs, ...finished], { ...roomy, keepJobs: 1, keepDays: 1 }, nowMs)).toEqual([
    'a',
    'b',
  ]);
});

test('a failed removal of one stops nothing', async () => {
  const { store } = await openStore();
  for (const number of [1, 2, 3])
    await store.create(sampleJob({ id: sampleId(number), ...ended }), undefined);
  const remove = store.remove.bind(store);
  store.remove = async (id) =>
    id === sampleId(1) ? Promise.reject(new Error('the disk refuses')) : remove(id);
  expect(await applyRetention(store, { ...roomy, keepJobs: 100, keepDays: 1 })).toBe(2);
  const left = [1, 2, 3].filter((number) => existsSync(store.paths(sampleId(number)).directory));
  expect(left).toEqual([1]);
});

describe('many removals', () => {
  async function makeMany(): Promise<JobStore> {
    const { store } = await openStore();
    for (let number = 1; number <= 100; number += 1)
      await store.create(sampleJob({ id: sampleId(number), ...ended }), undefined);
    return store;
  }

  test('keep nobody waiting', async () => {
    const store = await makeMany();
    const order: string[] = [];
    const removal = applyRetention(store, { ...roomy, keepDays: 1 }).then(() => order.push('removed'));
    const reading = store.get(sampleId(100)).then((job) => order.push(`read ${job?.state}`));
    await Promise.all([removal, reading]);
    expect(order).toEqual(['read failed', 'removed']);
    expect(store.summaries()).toEqual([]);
  });

  test('happen once, however often they are asked for meanwhile', async () => {
    const store = await makeMany();
    const log = new MemoryLogger();
    const { signal: shutdown } = new AbortController();
    const remove = oldJobsRemoval({ store, rules: { ...roomy, keepDays: 1 }, log, shutdown });
    await Promise.all([remove(), remove()]);
    await store.create(sampleJob({ id: sampleId(101), ...ended }), undefined);
    await remove();
    expect(log.entries.map(({ message, fields }) => [message, fields])).toEqual([
      ['old jobs were removed', { count: 100 }],
      ['old jobs were removed', { count: 1 }],
    ]);
  });

  test('end with the service', async () => {
    const store = await makeMany();
    const stop = new AbortController();
    const removal = applyRetention(store, { ...roomy, keepDays: 1 }, stop.signal);
    stop.abort();
    expect(await removal).toBeLessThan(100);
    expect(store.summaries().length).toBeGreaterThan(0);
  });
});
