import { describe, expect, test } from '@jest/globals';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { transition, type Job } from '../../../../src/jobs/model/job.ts';
import { sampleId, sampleJob } from '../../../support/sample-job.ts';
import { storedJobs } from '../../../support/stored-jobs.ts';

const { openStore } = storedJobs();

const start = (job: Job): Job => transition(job, 'running', { startedAt: '2026-01-02T03:04:06.000Z' });
const fail = (job: Job): Job => transition(job, 'failed', { finishedAt: '2026-01-02T03:04:07.000Z' });

describe('load', () => {
  test('brings everything back in the order of creation', async () => {
    const { store, directory } = await openStore();
    for (const number of [30, 10, 20]) await store.create(sampleJob({ id: sampleId(number) }), undefined);
    await store.update(sampleId(20), start);
    await store.update(sampleId(20), fail);
    const again = await openStore(directory);
    expect(again.store.summaries().map(({ id }) => id)).toEqual([10, 20, 30].map(sampleId));
    expect(again.store.unfinished().map(({ id }) => id)).toEqual([10, 30].map(sampleId));
    expect(again.store.newestId()).toBe(sampleId(30));
    expect(await again.store.get(sampleId(20))).toMatchObject({ state: 'failed' });
    expect(again.log.errors()).toEqual([]);
  });

  test.each([
    ['cut off', '{"id": "job-'],
    ['empty', ''],
    ['zeros', '\0'.repeat(100)],
    ['of another shape', '{"id":"x"}'],
    ['null', 'null'],
    ['of another job', JSON.stringify(sampleJob({ id: sampleId(99) }))],
    [
      'of a newer version with a state that is not known',
      JSON.stringify({ ...sampleJob(), state: 'paused' }),
    ],
  ])('sets a record aside that is %s, once, with its log, and takes the others', async (_name, content) => {
    const { store, directory } = await openStore();
    for (const number of [1, 2, 3]) await store.create(sampleJob({ id: sampleId(number) }), undefined);
    writeFileSync(store.paths(sampleId(2)).record, content);
    writeFileSync(store.paths(sampleId(2)).log, 'precious');

    const again = await openStore(directory);
    expect(again.store.summaries().map(({ id }) => id)).toEqual([1, 3].map(sampleId));
    expect(again.log.errors()).toEqual(['a job record is damaged and was set aside']);
    const quarantined = path.join(directory, '.quarantine', sampleId(2));
    expect(readFileSync(path.join(quarantined, 'log'), 'utf8')).toBe('precious');
    expect(readFileSync(path.join(quarantined, 'job.json'), 'utf8')).toBe(content);

    const third = await openStore(directory);
    expect(third.log.errors()).toEqual([]);
    expect(third.store.summaries()).toHaveLength(2);
  });

  test('leaves an id alone whose number is beyond all times: the ids after it could not be told apart', async () => {
    const { store, directory } = await openStore();
    await store.create(sampleJob(), undefined);
    mkdirSync(path.join(directory, 'job-9999999999999999999999999-abcdef'));
    const again = await openStore(directory);
    expect(again.store.newestId()).toBe(sampleId(1));
    expect(existsSync(path.join(directory, 'job-9999999999999999999999999-abcdef'))).toBe(true);
    expect(again.log.errors()).toEqual([]);
  });

  test('is not stopped by files and links in odd places', async () => {
    const { store, directory } = await openStore();
    await store.create(sampleJob(), undefined);
    writeFileSync(path.join(directory, 'job-7-aaaaaa'), 'a file');
    writeFileSync(path.join(directory, 'notes.txt'), 'not ours');
    symlinkSync('/no/such/place', path.join(directory, 'job-8-aaaaaa'));
    mkdirSync(path.join(directory, 'job-9-aaaaaa', 'job.json'), { recursive: true });
    const again = await openStore(directory);
    expect(again.store.summaries().map(({ id }) => id)).toEqual([sampleId(1)]);
    expect(existsSync(path.join(directory, 'notes.txt'))).toBe(true);
  });
});
