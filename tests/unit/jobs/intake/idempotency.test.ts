import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { rmSync } from 'node:fs';
import { IdempotencyKeys } from '../../../../src/jobs/intake/idempotency.ts';
import type { IdempotencyClaim } from '../../../../src/jobs/model/idempotency-claim.ts';
import type { Job } from '../../../../src/jobs/model/job.ts';
import type { JobStore } from '../../../../src/jobs/store/job-store.ts';
import { AppError } from '../../../../src/lib/app-error.ts';
import { deferred } from '../../../../src/lib/async/deferred.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { sampleId, sampleJob } from '../../../support/sample-job.ts';
import { storedJobs } from '../../../support/stored-jobs.ts';

const { openStore } = storedJobs();
afterEach(() => void jest.restoreAllMocks());

const claim = (changes: Partial<IdempotencyClaim> = {}): IdempotencyClaim => ({
  user: null,
  key: 'key',
  fingerprint: 'print',
  ...changes,
});

async function keep(store: JobStore, number: number, changes: Partial<Job> = {}): Promise<Job> {
  const job = sampleJob({
    id: sampleId(number),
    state: 'success',
    createdAt: new Date().toISOString(),
    idempotency: { key: 'key', fingerprint: 'print' },
    ...changes,
  });
  await store.create(job, undefined);
  return job;
}

describe('once', () => {
  test('users do not meet in their keys', async () => {
    const { store } = await openStore();
    const keys = new IdempotencyKeys(store);
    const mine = await keys.once(claim({ user: 'a' }), () => keep(store, 1, { requestedBy: 'a' }));
    const theirs = await keys.once(claim({ user: 'b' }), () => keep(store, 2, { requestedBy: 'b' }));
    expect(theirs.isReplayed).toBe(false);
    const again = await keys.once(claim({ user: 'a' }), () => keep(store, 3));
    expect(again).toEqual({ job: mine.job, isReplayed: true });
  });

  test('a key made by a clock that was ahead is kept for a day from the start, not until its time comes', async () => {
    const { store } = await openStore();
    const dayMs = 24 * 3_600_000;
    await keep(store, 1, { createdAt: new Date(Date.now() + 700 * dayMs).toISOString() });
    const keys = new IdempotencyKeys(store);
    keys.load(store.summaries());
    expect(await keys.once(claim(), () => keep(store, 2))).toMatchObject({ isReplayed: true });
    jest.spyOn(Date, 'now').mockReturnValue(Date.now() + dayMs + 1_000);
    expect(await keys.once(claim(), () => keep(store, 2))).toMatchObject({ isReplayed: false });
  });

  test('the key of a job whose directory somebody removed is free', async () => {
    const { store } = await openStore();
    const keys = new IdempotencyKeys(store);
    const { job } = await keys.once(claim(), () => keep(store, 1));
    rmSync(store.paths(job.id).directory, { recursive: true });
    expect(await keys.once(claim(), () => keep(store, 2))).toMatchObject({ job: { id: sampleId(2) } });
  });

  test('knows the keys of the records; those over a day old and those of removed jobs are free', async () => {
    const { store } = await openStore();
    const dayMs = 24 * 3_600_000;
    const ages = { fresh: dayMs - 60_000, old: dayMs + 60_000, removed: 0 };
    for (const [index, [name, ageMs]] of Object.entries(ages).entries()) {
      const createdAt = new Date(Date.now() - ageMs).toISOString();
      await keep(store, index, { createdAt, idempotency: { key: name, fingerprint: 'print' } });
    }
    const keys = new IdempotencyKeys(store);
    keys.load(store.summaries());
    await store.remove(sampleId(2));
    const replayed: string[] = [];
    for (const [index, name] of Object.keys(ages).entries()) {
      const made = () => keep(store, 10 + index, { idempotency: { key: name, fingerprint: 'print' } });
      if ((await keys.once(claim({ key: name }), made)).isReplayed) replayed.push(name);
    }
    expect(replayed).toEqual(['fresh']);
  });

  test('the next has its turn when the first fails, and only one at a time', async () => {
    const { store } = await openStore();
    const keys = new IdempotencyKeys(store);
    const first = deferred<Job>();
    let running = 0;
    let most = 0;
    const make = async (number: number): Promise<Job> => {
      most = Math.max(most, (running += 1));
      try {
        return number === 0 ? await first.promise : await keep(store, number);
      } finally {
        running -= 1;
      }
    };
    const asked = Array.from({ length: 20 }, async (_, number) => keys.once(claim(), () => make(number)));
    first.reject(new AppError('queue-full', 'full'));
    expect((await failureOf(asked[0]!)).code).toBe('queue-full');
    const rest = await Promise.all(asked.slice(1));
    expect(new Set(rest.map(({ job }) => job.id)).size).toBe(1);
    expect(rest.filter(({ isReplayed }) => !isReplayed)).toHaveLength(1);
    expect(most).toBe(1);
  });
});
