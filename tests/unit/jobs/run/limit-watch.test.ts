import { expect, test } from '@jest/globals';
import { appendFileSync } from 'node:fs';
import { LimitWatch } from '../../../../src/jobs/run/limit-watch.ts';
import type { Job } from '../../../../src/jobs/model/job.ts';
import { deferred } from '../../../../src/lib/deferred.ts';
import { MemoryLogger } from '../../../support/memory-logger.ts';
import { sampleJob } from '../../../support/sample-job.ts';
import { storedJobs } from '../../../support/stored-jobs.ts';

const { openStore } = storedJobs();

/** A watch on a job that is running on record, and the promise of the id that it stops. */
async function watched(changes: Partial<Job>) {
  const { store } = await openStore();
  const now = new Date().toISOString();
  const job = sampleJob({ state: 'running', createdAt: now, startedAt: now, ...changes });
  await store.create(job, undefined);
  const stopped = deferred<string>();
  const log = new MemoryLogger();
  const watch = new LimitWatch({ store, log, maxLogSizeBytes: 10, stop: stopped.resolve });
  return { store, job, log, stopped: stopped.promise, limits: watch.watch(job) };
}

test('a job whose time is up is stopped, and the reason is on record first', async () => {
  const { store, job, stopped, limits } = await watched({ timeoutMs: 1 });
  expect(await stopped).toBe(job.id);
  expect(await store.get(job.id)).toMatchObject({
    state: 'running',
    stopRequest: { reason: 'timeout', by: null },
  });
  limits.dispose();
});

test('the time counts from the start of the job, not from that of the watch', async () => {
  const { job, stopped, limits } = await watched({ startedAt: '2026-01-02T03:04:05.678Z', timeoutMs: 1_000 });
  expect(await stopped).toBe(job.id);
  limits.dispose();
});

test('a job whose log is too long is stopped', async () => {
  const { store, job, stopped, limits } = await watched({});
  appendFileSync(store.paths(job.id).log, 'more than ten bytes');
  expect(await stopped).toBe(job.id);
  expect(await store.get(job.id)).toMatchObject({ stopRequest: { reason: 'log-limit', by: null } });
  limits.dispose();
});

test('a job that is being canceled keeps its reason', async () => {
  const stopRequest = { reason: 'canceled', by: 'ann', at: '2026-01-02T03:04:05.678Z' } as const;
  const { store, job, stopped, limits } = await watched({ state: 'canceling', stopRequest, timeoutMs: 1 });
  await stopped;
  expect(await store.get(job.id)).toMatchObject({ state: 'canceling', stopRequest });
  limits.dispose();
});
