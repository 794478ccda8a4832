/** What is told of changes of jobs, and what is put into the index; job-store.test.ts has what is on the disk. */
import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Job } from '../../../../src/jobs/model/job.ts';
import type { JobStore } from '../../../../src/jobs/store/job-store.ts';
import { eventually } from '../../../support/eventually.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { sampleId, sampleJob } from '../../../support/sample-job.ts';
import { fail, refuseWrites, storedJobs } from '../../../support/stored-jobs.ts';

const { openStore } = storedJobs();
const id = sampleId(1);

function told(store: JobStore): unknown[] {
  const events: unknown[] = [];
  store.on('change', ({ state }, before) => events.push([before?.state, state]));
  store.on('removed', (summary) => events.push(['removed', summary.id]));
  return events;
}

const indexOf = (directory: string): string => readFileSync(path.join(directory, 'index.jsonl'), 'utf8');

test('each change is told with how the job was before', async () => {
  const { store } = await openStore();
  const events = told(store);
  await store.create(sampleJob(), undefined);
  await store.update(id, (job) => ({ ...job, state: 'running' }));
  await store.update(id, fail);
  await store.remove(id);
  await store.remove(id);
  expect(events).toEqual([
    [undefined, 'queued'],
    ['queued', 'running'],
    ['running', 'failed'],
    ['removed', id],
  ]);
});

describe('the index', () => {
  test('has a job once it has ended', async () => {
    const { store, directory } = await openStore();
    await store.create(sampleJob(), undefined);
    await store.update(id, (job): Job => ({ ...job, state: 'running' }));
    expect(indexOf(directory)).not.toContain(id);
    await store.update(id, fail);
    expect(indexOf(directory)).toContain(id);
  });

  test('has it not before its end is on record', async () => {
    const { store, directory } = await openStore();
    await store.create(sampleJob(), undefined);
    const repair = refuseWrites(store.paths(id).directory);
    expect(await store.update(id, fail)).toMatchObject({ state: 'failed' });
    expect(store.fault).toContain('1 job record(s) cannot be written');
    expect(indexOf(directory)).not.toContain(id);
    repair();
    // The index comes after the record: whoever sees it there has the record, and not the other way round.
    await eventually('the index to have it', () => indexOf(directory).includes(id));
    expect(JSON.parse(readFileSync(store.paths(id).record, 'utf8'))).toMatchObject({ state: 'failed' });
    expect(store.fault).toBeNull();
  });
});

describe('while the disk refuses', () => {
  test('a change that must be on record is none, and nobody is told of it', async () => {
    const { store } = await openStore();
    await store.create(sampleJob(), undefined);
    const events = told(store);
    const repair = refuseWrites(store.paths(id).directory);
    const failure = await failureOf(store.update(id, fail, { mustPersist: true }));
    expect([failure.code, failure.message]).toEqual(['storage-fault', expect.stringContaining('the change')]);
    expect([events, store.fault, await store.get(id)]).toEqual([[], null, sampleJob()]);
    repair();
  });

  test('a job that is removed is no fault any more', async () => {
    const { store } = await openStore();
    await store.create(sampleJob(), undefined);
    refuseWrites(store.paths(id).directory);
    await store.update(id, fail);
    await store.remove(id);
    expect([store.fault, await store.get(id)]).toEqual([null, undefined]);
  });

  test('what is told first is how the job is, also to whoever asks in that moment', async () => {
    const { store } = await openStore();
    await store.create(sampleJob(), undefined);
    refuseWrites(store.paths(id).directory);
    const asked: Promise<Job | undefined>[] = [];
    store.on('change', () => asked.push(store.get(id)));
    await store.update(id, fail);
    expect(await Promise.all(asked)).toMatchObject([{ state: 'failed' }]);
  });
});

test('a job that is not there cannot be changed, which is said by its id', async () => {
  const { store } = await openStore();
  const failure = await failureOf(store.update(id, fail));
  expect([failure.code, failure.message]).toEqual(['job-not-found', expect.stringContaining(id)]);
});
