import { describe, expect, test } from '@jest/globals';
import type { Job } from '../../../../src/jobs/model/job.ts';
import { JobEnds } from '../../../../src/jobs/store/job-ends.ts';
import { sampleId, sampleJob } from '../../../support/sample-job.ts';
import { fail, storedJobs } from '../../../support/stored-jobs.ts';

const { openStore } = storedJobs();
const [id, otherId] = [sampleId(1), sampleId(2)];
const minute = { ms: 60_000, signal: undefined };
const notYet = async (): Promise<boolean> => false;
const run = (job: Job): Job => ({ ...job, state: 'running' });

async function waiting() {
  const { store } = await openStore();
  for (const each of [id, otherId]) await store.create(sampleJob({ id: each }), undefined);
  return { store, ends: new JobEnds(store) };
}

test('whoever waits is woken by the end of the job, not by another change or another job', async () => {
  const { store, ends } = await waiting();
  const woken: string[] = [];
  const wait = async (name: string, of: string): Promise<void> => {
    await ends.wait(of, notYet, minute);
    woken.push(name);
  };
  const all = [wait('a', id), wait('b', id), wait('c', otherId)];
  expect([ends.waiterCount(id), ends.waiterCount(otherId), ends.waiterCount(sampleId(3))]).toEqual([2, 1, 0]);
  await store.update(id, run);
  await store.update(otherId, fail);
  await all[2];
  expect(woken).toEqual(['c']);
  await store.update(id, fail);
  await Promise.all(all);
  expect(woken).toEqual(['c', 'a', 'b']);
  expect([ends.waiterCount(id), ends.waiterCount(otherId)]).toEqual([0, 0]);
});

test('an end before the wait, or on its way, is not missed', async () => {
  const { store, ends } = await waiting();
  await ends.wait(id, async () => true, minute);
  await ends.wait(
    id,
    async () => {
      await store.update(id, fail);
      return false;
    },
    minute,
  );
  expect(ends.waiterCount(id)).toBe(0);
});

describe('a wait is over', () => {
  test('when its time is up', async () => {
    const { ends } = await waiting();
    await ends.wait(id, notYet, { ...minute, ms: 1 });
    expect(ends.waiterCount(id)).toBe(0);
  });

  test('when somebody stops it: then, or before', async () => {
    const { ends } = await waiting();
    const stop = new AbortController();
    const wait = ends.wait(id, notYet, { ...minute, signal: stop.signal });
    expect(ends.waiterCount(id)).toBe(1);
    stop.abort();
    await wait;
    let asked = 0;
    const look = async (): Promise<boolean> => (asked += 1) > 1;
    await ends.wait(id, look, { ...minute, signal: stop.signal });
    expect({ asked, waiters: ends.waiterCount(id) }).toEqual({ asked: 0, waiters: 0 });
  });

  test('when nobody can say whether the job has ended', async () => {
    const { ends } = await waiting();
    const look = async (): Promise<boolean> => Promise.reject(new Error('the disk'));
    await expect(ends.wait(id, look, minute)).rejects.toThrow('the disk');
    expect(ends.waiterCount(id)).toBe(0);
  });

  test('and another one for the same job goes on', async () => {
    const { store, ends } = await waiting();
    const stop = new AbortController();
    const first = ends.wait(id, notYet, { ...minute, signal: stop.signal });
    const second = ends.wait(id, notYet, minute);
    stop.abort();
    await first;
    expect(ends.waiterCount(id)).toBe(1);
    await store.update(id, fail);
    await second;
    expect(ends.waiterCount(id)).toBe(0);
  });
});
