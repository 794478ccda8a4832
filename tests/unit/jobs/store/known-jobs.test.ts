import { describe, expect, test } from '@jest/globals';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Job } from '../../../../src/jobs/model/job.ts';
import { KnownJobs } from '../../../../src/jobs/store/known-jobs.ts';
import { sampleId, sampleJob } from '../../../support/sample-job.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const directory = temporaryDirectory();
const id = sampleId(1);
const failed: Partial<Job> = { state: 'failed', finishedAt: '2026-01-02T03:04:07.000Z', logSize: 10 };

describe('an unfinished job', () => {
  test('is known whole, until it has ended', () => {
    const known = new KnownJobs(directory);
    known.set(sampleJob());
    expect(known.get(id)).toEqual(sampleJob());
    expect(known.unfinished()).toEqual([sampleJob()]);
    expect(known.finished()).toEqual([]);
    known.set(sampleJob(failed));
    expect(known.get(id)).toBeUndefined();
    expect(known.unfinished()).toEqual([]);
    expect(known.finished().map((job) => job.id)).toEqual([id]);
  });

  test('comes in the order of creation, whenever it changed', () => {
    const known = new KnownJobs(directory);
    for (const number of [2, 1, 3, 2]) known.set(sampleJob({ id: sampleId(number) }));
    expect(known.unfinished().map((job) => job.id)).toEqual([1, 2, 3].map(sampleId));
    expect(known.newestId()).toBe(sampleId(3));
    expect(known.summary(sampleId(2))?.id).toBe(sampleId(2));
    expect(known.select(() => true, 1, sampleId(3)).map((job) => job.id)).toEqual([sampleId(2)]);
  });
});

describe('a finished job', () => {
  test('that was read is kept, until something else becomes of it', () => {
    const known = new KnownJobs(directory);
    const job = sampleJob(failed);
    known.set(job);
    known.keep(job);
    expect(known.get(id)).toBe(job);
    known.set({ ...job, error: 'another' });
    expect(known.get(id)).toBeUndefined();
  });

  test('has the size of its log and of its topology', () => {
    const known = new KnownJobs(directory);
    const job = sampleJob({ ...failed, request: { action: 'up', topology: 'nodes: {}' } });
    mkdirSync(path.join(directory, id));
    writeFileSync(path.join(directory, id, 'topology.yml'), 'nodes: {}');
    expect(known.summarize(job)).toMatchObject({ id, state: 'failed', size: 19 });
    expect(known.summary(id)).toBeUndefined();
  });

  test('that was removed is forgotten, once', () => {
    const known = new KnownJobs(directory);
    known.set(sampleJob(failed));
    known.keep(sampleJob(failed));
    expect([known.delete(id), known.delete(id)]).toEqual([true, false]);
    expect([known.get(id), known.summary(id), known.newestId()]).toEqual([undefined, undefined, undefined]);
  });

  test('of which only the summary is known is listed, and not known whole', () => {
    const known = new KnownJobs(directory);
    const summary = known.summarize(sampleJob(failed));
    known.setSummary(summary);
    expect(known.summaries()).toEqual([summary]);
    expect(known.get(id)).toBeUndefined();
  });
});
