/** Jobs that are running on record, and of which nothing was started. */
import { describe, expect, test } from '@jest/globals';
import type { Job } from '../../../../src/jobs/model/job.ts';
import { canceling, finisher, id } from '../../../support/job-finisher.ts';

describe('finishUnstarted', () => {
  test('fails a job of which nothing was started', async () => {
    const { store, it } = await finisher({});
    await it.finishUnstarted(id, 'the program is gone', 'spawn-error');
    const expected = { state: 'failed', reason: 'spawn-error', error: 'the program is gone', logSize: 0 };
    expect(await store.get(id)).toMatchObject(expected);
  });

  test('or tells that it was canceled first', async () => {
    const { store, it } = await finisher(canceling);
    await it.finishUnstarted(id, 'the program is gone', 'spawn-error');
    expect(await store.get(id)).toMatchObject({
      state: 'canceled',
      error: 'canceled by ann before it started',
    });
  });
});

/** What `finish…` is told of a job that has ended already: nothing that changes it. */
const over: Partial<Job> = { state: 'failed', finishedAt: '2026-01-02T03:04:07.000Z' };

test('finishUnstarted changes nothing of a job that has ended', async () => {
  const { store, it } = await finisher(over);
  const before = await store.get(id);
  await it.finishUnstarted(id, 'the program is gone', 'spawn-error');
  expect(await store.get(id)).toEqual(before);
});

describe('finishObsolete', () => {
  test.each<[string, Partial<Job>, string | null]>([
    ['a job that nobody canceled', {}, null],
    ['one that somebody is canceling', canceling, 'ann'],
  ])('cancels %s, and says why', async (_name, changes, by) => {
    const { store, it } = await finisher(changes);
    await it.finishObsolete(id, 'its lab is gone');
    expect(await store.get(id)).toMatchObject({
      state: 'canceled',
      reason: 'canceled',
      error: 'canceled before it started: its lab is gone',
      logSize: 0,
      stopRequest: { reason: 'canceled', by, at: expect.any(String) },
    });
  });

  test('changes nothing of a job that has ended', async () => {
    const { store, it } = await finisher(over);
    const before = await store.get(id);
    await it.finishObsolete(id, 'its lab is gone');
    expect(await store.get(id)).toEqual(before);
  });
});

describe('putBack', () => {
  test.each<[string, Partial<Job>, Partial<Job>]>([
    [
      'has a job that runs wait again',
      { startedAt: '2026-01-02T03:04:06.000Z' },
      { state: 'queued', startedAt: null },
    ],
    [
      'ends one that is being canceled',
      canceling,
      { state: 'canceled', error: 'canceled by ann before it started' },
    ],
    ['leaves one that has ended as it is', over, over],
  ])('%s', async (_name, changes, expected) => {
    const { store, it } = await finisher(changes);
    await it.putBack(id);
    expect(await store.get(id)).toMatchObject(expected);
  });
});
