/** What a store says of jobs that have ended: from their records, which somebody may change. */
import { describe, expect, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
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
