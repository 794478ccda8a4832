/** Jobs in a store, as a service leaves them that is killed. */
import { afterEach } from '@jest/globals';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Job } from '../../src/jobs/model/job.ts';
import { JobStore } from '../../src/jobs/store/job-store.ts';
import { MemoryLogger } from './memory-logger.ts';
import { sampleId, sampleJob } from './sample-job.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const run = (job: Job): Job => ({ ...job, state: 'running' });
export const fail = (job: Job): Job => ({ ...job, state: 'failed', finishedAt: '2026-01-02T03:04:07.000Z' });

/** The states of all jobs of `makeJobs`. */
export const whole = ['1 failed', '2 failed', '3 failed', '4 running'];

/** Makes a job's directory refuse every write, for root as well, until the result is called. */
export function refuseWrites(directory: string): () => void {
  renameSync(directory, `${directory}.aside`);
  writeFileSync(directory, '');
  return () => {
    rmSync(directory);
    renameSync(`${directory}.aside`, directory);
  };
}

interface Stored {
  readonly directory: string;
  readonly indexFile: string;
  readonly record: (number: number) => string;
}

interface Opened {
  readonly store: JobStore;
  readonly log: MemoryLogger;
  readonly directory: string;
}

interface StoredJobs {
  /** A store as a service has it after its start, on a new directory unless one is given. */
  readonly openStore: (directory?: string) => Promise<Opened>;
  /** A directory in which jobs 1, 2 and 3 have ended and job 4 runs. */
  readonly makeJobs: () => Promise<Stored>;
  /** Number and state of each job. */
  readonly states: (store: JobStore) => string[];
}

/** Call once in a test file: it closes the stores after each test. */
export function storedJobs(): StoredJobs {
  const root = temporaryDirectory();
  const stores: JobStore[] = [];
  let count = 0;
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close();
  });
  const openStore: StoredJobs['openStore'] = async (directory = path.join(root, `jobs-${(count += 1)}`)) => {
    const log = new MemoryLogger();
    const store = new JobStore(directory, log);
    stores.push(store);
    await store.prepare();
    await store.load();
    return { store, log, directory };
  };
  return {
    openStore,
    makeJobs: async () => {
      const { store, directory } = await openStore();
      for (const number of [1, 2, 3, 4]) {
        await store.create(sampleJob({ id: sampleId(number) }), undefined);
        await store.update(sampleId(number), run);
        if (number < 4) await store.update(sampleId(number), fail);
      }
      return {
        directory,
        indexFile: path.join(directory, 'index.jsonl'),
        record: (number) => store.paths(sampleId(number)).record,
      };
    },
    states: (store) =>
      store.summaries().map(({ id, state }) => `${Number(id.split('-')[1]) - 1_700_000_000_000} ${state}`),
  };
}
