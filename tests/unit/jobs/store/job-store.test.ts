import { describe, expect, test } from '@jest/globals';
import { existsSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { transition, type Job } from '../../../../src/jobs/model/job.ts';
import type { JobStore } from '../../../../src/jobs/store/job-store.ts';
import { eventually } from '../../../support/eventually.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { sampleId, sampleJob } from '../../../support/sample-job.ts';
import { refuseWrites, storedJobs } from '../../../support/stored-jobs.ts';

const { openStore } = storedJobs();

function onDisk(store: JobStore, id: string): Job {
  return JSON.parse(readFileSync(store.paths(id).record, 'utf8')) as Job;
}

const start = (job: Job): Job => transition(job, 'running', { startedAt: '2026-01-02T03:04:06.000Z' });
const fail = (job: Job): Job => transition(job, 'failed', { finishedAt: '2026-01-02T03:04:07.000Z' });

describe('create', () => {
  test('puts record, log and topology on disk for the owner alone, before it is announced', async () => {
    const { store, directory } = await openStore();
    const job = sampleJob();
    const announced: Job[] = [];
    store.on('change', (changed) => announced.push(onDisk(store, changed.id)));
    await store.create(job, 'nodes: {}\n');
    const paths = store.paths(job.id);
    expect(announced).toEqual([job]);
    expect(readFileSync(paths.topology, 'utf8')).toBe('nodes: {}\n');
    expect(readFileSync(paths.log, 'utf8')).toBe('');
    expect(statSync(paths.directory).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(paths.directory)) {
      expect([name, statSync(path.join(paths.directory, name)).mode & 0o777]).toEqual([name, 0o600]);
    }
    expect(readdirSync(directory).toSorted()).toEqual(['.quarantine', 'index.jsonl', job.id]);
    expect(await store.get(job.id)).toEqual(job);
  });

  test('that the disk refuses leaves nothing behind', async () => {
    const { store, directory, log } = await openStore();
    const aside = `${directory}.aside`;
    renameSync(directory, aside);
    writeFileSync(directory, 'not a directory');
    const failure = await failureOf(store.create(sampleJob(), undefined));
    expect(failure).toMatchObject({ code: 'storage-fault', retryAfterSeconds: 10 });
    expect(failure.message).not.toContain(directory);
    expect(await store.get(sampleJob().id)).toBeUndefined();
    expect(store.summaries()).toEqual([]);
    expect(log.errors()).toEqual(['a job record cannot be written']);
    rmSync(directory);
    renameSync(aside, directory);
    await store.create(sampleJob(), undefined);
    expect(await store.get(sampleJob().id)).toEqual(sampleJob());
  });
});

describe('update', () => {
  test('is on disk before it is announced, and replaces the record whole', async () => {
    const { store } = await openStore();
    await store.create(sampleJob(), undefined);
    const seen: string[] = [];
    store.on('change', (job) => seen.push(`${job.state} ${onDisk(store, job.id).state}`));
    expect(await store.update(sampleJob().id, start)).toMatchObject({ state: 'running' });
    expect(seen).toEqual(['running running']);
    expect(readdirSync(store.paths(sampleJob().id).directory).toSorted()).toEqual(['job.json', 'log']);
  });

  test('one after the other: each sees what the one before decided', async () => {
    const { store } = await openStore();
    await store.create(sampleJob(), undefined);
    const add = (job: Job): Job => ({ ...job, warnings: [...job.warnings, `w${job.warnings.length}`] });
    await Promise.all(Array.from({ length: 25 }, async () => store.update(sampleJob().id, add)));
    const expected = Array.from({ length: 25 }, (_, index) => `w${index}`);
    expect(onDisk(store, sampleJob().id).warnings).toEqual(expected);
  });

  test('of a finished job reads it from disk', async () => {
    const { store } = await openStore();
    await store.create(sampleJob({ state: 'failed' }), undefined);
    expect(await store.update(sampleJob().id, (job) => ({ ...job, labels: { a: 'b' } }))).toMatchObject({
      labels: { a: 'b' },
    });
    expect(onDisk(store, sampleJob().id).labels).toEqual({ a: 'b' });
  });
});

describe('a disk that refuses', () => {
  test('readers see the truth, the fault is told, and the record is written when the disk recovers', async () => {
    const { store, log } = await openStore();
    const { id } = sampleJob();
    await store.create(sampleJob(), undefined);
    await store.update(id, start);
    const repair = refuseWrites(store.paths(id).directory);
    await store.update(id, fail);
    expect(await store.get(id)).toMatchObject({ state: 'failed' });
    expect(store.summary(id)?.state).toBe('failed');
    expect(store.fault).toMatch(/^1 job record\(s\) cannot be written: /);
    expect(log.errors()).toContain('a job record cannot be written');
    repair();
    expect(onDisk(store, id).state).toBe('running');
    await eventually('the record to be written', () => store.fault === null);
    expect(onDisk(store, id).state).toBe('failed');
    expect(await store.get(id)).toMatchObject({ state: 'failed' });
  });

  test('what must be on disk does not happen without it', async () => {
    const { store } = await openStore();
    const { id } = sampleJob();
    await store.create(sampleJob(), undefined);
    const announced: string[] = [];
    store.on('change', (job) => announced.push(job.state));
    const repair = refuseWrites(store.paths(id).directory);
    await expect(store.update(id, start, { mustPersist: true })).rejects.toThrow();
    expect(await store.get(id)).toMatchObject({ state: 'queued' });
    expect({ announced, fault: store.fault }).toEqual({ announced: [], fault: null });
    repair();
    expect(await store.update(id, start, { mustPersist: true })).toMatchObject({ state: 'running' });
  });

  test('one that stays broken does not keep another from being written later', async () => {
    const { store } = await openStore();
    for (const number of [1, 2]) await store.create(sampleJob({ id: sampleId(number) }), undefined);
    const repairFirst = refuseWrites(store.paths(sampleId(1)).directory);
    const repairSecond = refuseWrites(store.paths(sampleId(2)).directory);
    for (const number of [1, 2]) await store.update(sampleId(number), start);
    repairSecond();
    await eventually('the second record to be written', () => onDisk(store, sampleId(2)).state === 'running');
    await eventually('one fault to be left', () => store.fault?.startsWith('1 job record'));
    repairFirst();
    await eventually('the first record to be written', () => store.fault === null);
  });

  test('a record that cannot be read is a fault of the disk, not a missing job', async () => {
    const { store } = await openStore();
    const { id } = sampleJob();
    await store.create(sampleJob({ state: 'failed' }), undefined);
    const repair = refuseWrites(store.paths(id).directory);
    expect((await failureOf(store.get(id))).code).toBe('storage-fault');
    repair();
    expect(await store.get(id)).toMatchObject({ state: 'failed' });
  });

  test('a job whose directory somebody removed is gone from the lists too', async () => {
    const { store } = await openStore();
    const { id } = sampleJob();
    await store.create(sampleJob({ state: 'failed' }), undefined);
    rmSync(store.paths(id).directory, { recursive: true });
    expect(await store.get(id)).toBeUndefined();
    expect(store.summaries()).toEqual([]);
  });
});

describe('remove', () => {
  test('takes job and files away', async () => {
    const { store } = await openStore();
    const { id } = sampleJob();
    await store.create(sampleJob({ state: 'failed' }), undefined);
    const removed: string[] = [];
    store.on('removed', (summary) => removed.push(`${summary.id} ${summary.state}`));
    await store.remove(id);
    expect(removed).toEqual([`${id} failed`]);
    expect(existsSync(store.paths(id).directory)).toBe(false);
    expect(await store.get(id)).toBeUndefined();
    expect(store.summaries()).toEqual([]);
  });

  test('is not undone by an update under way', async () => {
    const { store, log } = await openStore();
    const { id } = sampleJob();
    await store.create(sampleJob({ state: 'failed' }), undefined);
    const update = store.update(id, (job) => ({ ...job, labels: { a: 'b' } }));
    const removal = store.remove(id);
    const late = failureOf(store.update(id, (job) => ({ ...job })));
    await Promise.all([update, removal]);
    expect((await late).code).toBe('job-not-found');
    expect(store.summaries()).toEqual([]);
    expect(existsSync(store.paths(id).directory)).toBe(false);
    expect({ fault: store.fault, errors: log.errors() }).toEqual({ fault: null, errors: [] });
  });

  test('that the disk refuses leaves the job whole', async () => {
    const { store, directory } = await openStore();
    const { id } = sampleJob();
    await store.create(sampleJob({ state: 'failed' }), undefined);
    writeFileSync(path.join(directory, '.trash'), 'not a directory');
    await expect(store.remove(id)).rejects.toThrow('ENOTDIR');
    expect(await store.get(id)).toMatchObject({ state: 'failed' });
    rmSync(path.join(directory, '.trash'));
    await store.remove(id);
    expect(store.summaries()).toEqual([]);
  });
});

test('a job that is removed while its record is read is not remembered', async () => {
  const { store } = await openStore();
  // So long that its removal, a rename, comes while it is read.
  const progress = { message: 'x'.repeat(2 ** 23), at: '2026-01-02T03:04:07.000Z' };
  await store.create(sampleJob(), undefined);
  await store.update(sampleId(1), (job) => fail(start({ ...job, progress })));
  const reading = store.get(sampleId(1));
  await store.remove(sampleId(1));
  expect(await reading).toMatchObject({ state: 'failed' });
  expect(await store.get(sampleId(1))).toBeUndefined();
});
