/** What a store says of jobs that have ended: from their records, which somebody may change. */
import { describe, expect, test } from '@jest/globals';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Job } from '../../../../src/jobs/model/job.ts';
import type { JobStore } from '../../../../src/jobs/store/job-store.ts';
import { sampleId, sampleJob } from '../../../support/sample-job.ts';
import { storedJobs } from '../../../support/stored-jobs.ts';

const { openStore } = storedJobs();
const id = sampleId(1);
const ended = sampleJob({ state: 'failed', finishedAt: '2026-01-02T03:04:07.000Z' });
const longestKept = 16 * 1024;

/** Writes a record as somebody else would, as long as it is to be. */
function replace(store: JobStore, job: Job, length = 0): void {
  writeFileSync(store.paths(id).record, JSON.stringify(job).padEnd(length));
}

async function storeWith(job = ended) {
  const opened = await openStore();
  await opened.store.create(job, undefined);
  return opened;
}

describe('the record of a job that has ended', () => {
  const marked = (word: string): Job => ({ ...ended, error: word });

  test('is read once for all who ask again, as long as it is not long', async () => {
    const { store } = await storeWith();
    replace(store, marked('one'), longestKept);
    expect(await store.get(id)).toMatchObject({ error: 'one' });
    replace(store, marked('two'), longestKept);
    expect(await store.get(id)).toMatchObject({ error: 'one' });
  });

  test('is read each time when it is long, for there may be a thousand', async () => {
    const { store } = await storeWith();
    for (const word of ['one', 'two']) {
      replace(store, marked(word), longestKept + 1);
      expect(await store.get(id)).toMatchObject({ error: word });
    }
  });
});

describe('a record that says something else than is known', () => {
  /** What is told of it, by whom it is read next. */
  async function replacedBy(job: Job) {
    const { store, directory } = await storeWith();
    const found: Job[] = [];
    store.on('found', (one) => found.push(one));
    replace(store, job);
    expect(await store.get(id)).toEqual(job);
    const states = store.summaries().map(({ state }) => state);
    return { found, states, hasIndex: existsSync(path.join(directory, 'index.jsonl')) };
  }

  test('is believed, and the index, which is wrong then, is not', async () => {
    expect(await replacedBy({ ...ended, state: 'success' })).toEqual({
      found: [],
      states: ['success'],
      hasIndex: false,
    });
  });

  test('is followed up when it says that the job runs', async () => {
    const job = sampleJob({ state: 'running' });
    expect(await replacedBy(job)).toEqual({ found: [job], states: ['running'], hasIndex: false });
  });

  test('is not when it says that the job waits: it has run once', async () => {
    expect(await replacedBy(sampleJob())).toEqual({ found: [], states: ['queued'], hasIndex: false });
  });

  test('in nothing that is listed leaves the index as it is', async () => {
    expect(await replacedBy({ ...ended, warnings: ['a word'] })).toEqual({
      found: [],
      states: ['failed'],
      hasIndex: true,
    });
  });
});
