import { expect, test } from '@jest/globals';
import { appendFileSync, statSync } from 'node:fs';
import { LimitWatch } from '../../../../src/jobs/run/limit-watch.ts';
import type { Job } from '../../../../src/jobs/model/job.ts';
import { deferred } from '../../../../src/lib/async/deferred.ts';
import { eventually } from '../../../support/eventually.ts';
import { MemoryLogger } from '../../../support/memory-logger.ts';
import { sampleId, sampleJob } from '../../../support/sample-job.ts';
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

test('a clock that was ahead at the start, and was mended, gives no more time', async () => {
  const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
  const { job, stopped, limits } = await watched({ startedAt: inAnHour, timeoutMs: 1 });
  expect(await stopped).toBe(job.id);
  limits.dispose();
});

test('a job whose log is too long is stopped', async () => {
  const { store, job, stopped, limits } = await watched({});
  appendFileSync(store.paths(job.id).log, 'more than ten bytes');
  expect(await stopped).toBe(job.id);
  expect(await store.get(job.id)).toMatchObject({ stopRequest: { reason: 'log-limit', by: null } });
  expect(statSync(store.paths(job.id).log).size).toBe(10);
  // What it prints until it is gone is cut off, too.
  appendFileSync(store.paths(job.id).log, 'its last words');
  await eventually('the cut', () => statSync(store.paths(job.id).log).size === 10);
  limits.dispose();
});

test('a log that is just as long as it may be is none too long', async () => {
  const { store, job, stopped, limits } = await watched({ timeoutMs: 200 });
  appendFileSync(store.paths(job.id).log, 'ten bytes.');
  await stopped;
  expect(await store.get(job.id)).toMatchObject({ stopRequest: { reason: 'timeout' } });
  limits.dispose();
});

test('a job that is not there any more is told of in the log of the service', async () => {
  const { store } = await openStore();
  const log = new MemoryLogger();
  const stop = (): never => {
    throw new Error('there is nothing to stop');
  };
  const gone = sampleJob({ state: 'running', timeoutMs: 1 });
  const limits = new LimitWatch({ store, log, maxLogSizeBytes: 10, stop }).watch(gone);
  await eventually('the error', () => log.errors().length > 0);
  expect(log.entries.at(-1)).toEqual({
    level: 'error',
    message: 'a job over its limit could not be ended',
    fields: { job: gone.id, cause: expect.any(String) },
  });
  limits.dispose();
});

test('a job that has ended is not stopped, nor is one that is not watched any more', async () => {
  const asked: string[] = [];
  const { store, job: over, limits } = await watched({ state: 'failed' });
  limits.dispose();
  const [unwatched, last] = [
    sampleJob({ ...over, id: sampleId(2) }),
    sampleJob({ ...over, id: sampleId(3) }),
  ];
  for (const job of [unwatched, last])
    await store.create({ ...job, state: 'running', timeoutMs: 1 }, undefined);
  const watch = new LimitWatch({
    store,
    log: new MemoryLogger(),
    maxLogSizeBytes: 10,
    stop: (id) => asked.push(id),
  });
  const all = [
    { ...over, timeoutMs: 1 },
    { ...unwatched, timeoutMs: 1 },
    { ...last, timeoutMs: 20 },
  ];
  const watches = all.map((job) => watch.watch(job));
  watches[1]?.dispose();
  await eventually('the last one', () => asked.length > 0);
  expect(asked).toEqual([last.id]);
  expect((await store.get(unwatched.id))?.stopRequest).toBeNull();
  expect((await store.get(over.id))?.stopRequest).toBeNull();
  for (const { dispose } of watches) dispose();
});

test('a job that is being canceled keeps its reason', async () => {
  const stopRequest = { reason: 'canceled', by: 'ann', at: '2026-01-02T03:04:05.678Z' } as const;
  const { store, job, stopped, limits } = await watched({ state: 'canceling', stopRequest, timeoutMs: 1 });
  await stopped;
  expect(await store.get(job.id)).toMatchObject({ state: 'canceling', stopRequest });
  limits.dispose();
});
