/** What a service did not come to tell that was killed between a record and its event. */
import { afterEach, describe, expect, test } from '@jest/globals';
import { mkdtempSync } from 'node:fs';
import path from 'node:path';
import { Feed } from '../../../src/events/feed.ts';
import { JobSource, stateOf } from '../../../src/events/job-source.ts';
import type { Job } from '../../../src/jobs/model/job.ts';
import type { JobStore } from '../../../src/jobs/store/job-store.ts';
import { MemoryLogger } from '../../support/memory-logger.ts';
import { sampleId, sampleJob } from '../../support/sample-job.ts';
import { fail, storedJobs } from '../../support/stored-jobs.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const { openStore } = storedJobs();
const root = temporaryDirectory();
const feeds: Feed[] = [];
afterEach(async () => {
  for (const feed of feeds.splice(0)) await feed.close();
});

interface Life {
  readonly store: JobStore;
  readonly feed: Feed;
  readonly source: JobSource;
  /** Number, change and state of all events since the beginning. */
  readonly told: () => string[];
}

async function live(jobs: string | undefined, events: string): Promise<Life & { directory: string }> {
  const { store, directory } = await openStore(jobs);
  const feed = new Feed({ directory: events, log: new MemoryLogger() });
  feeds.push(feed);
  const source = new JobSource(store, feed);
  const how = await feed.open(() => stateOf(store));
  await source.open(how === 'resumed');
  await feed.flush();
  const told = (): string[] =>
    feed.recent.map(({ change }) =>
      change.event === 'job'
        ? `${Number(change.data.job.id.split('-')[1]) - 1_700_000_000_000} ${change.data.change} ${change.data.job.state}`
        : change.event,
    );
  return { store, feed, source, told, directory };
}

const run = (job: Job): Job => ({ ...job, state: 'running', startedAt: '2026-01-02T03:04:06.000Z' });
const make = async (store: JobStore, number: number): Promise<void> =>
  store.create(sampleJob({ id: sampleId(number) }), undefined);

describe('at a start', () => {
  test('what is on record and was not told is told, once and in order', async () => {
    const events = path.join(mkdtempSync(path.join(root, 'data-')), 'events');
    const first = await live(undefined, events);
    for (const number of [1, 2, 3, 4]) await make(first.store, number);
    await first.store.update(sampleId(2), run);
    await first.store.update(sampleId(3), run);
    await first.store.update(sampleId(4), run);
    await first.store.update(sampleId(4), fail);
    await first.feed.flush();
    const before = first.told();
    // From here on, it is as if the service was killed before each event.
    first.source.close();
    await first.store.update(sampleId(1), run);
    await first.store.update(sampleId(2), fail);
    await first.store.update(sampleId(3), fail);
    await first.store.remove(sampleId(3));
    await make(first.store, 5);
    await make(first.store, 6);
    await first.store.update(sampleId(6), run);
    await first.store.update(sampleId(6), fail);
    const second = await live(first.directory, events);
    const expected = [
      ...before,
      '1 state running',
      '2 state failed',
      '5 created queued',
      '6 created queued',
      '6 state running',
      '6 state failed',
      '3 removed running',
    ];
    expect(second.told()).toEqual(expected);
    const third = await live(first.directory, events);
    // It keeps in memory what the second one wrote.
    expect(third.told()).toEqual(expected.slice(before.length));
  });

  test('nothing is told of jobs from before there was a journal', async () => {
    const { store, directory } = await openStore();
    for (const number of [1, 2]) await make(store, number);
    await store.update(sampleId(1), run);
    await store.update(sampleId(1), fail);
    const events = path.join(mkdtempSync(path.join(root, 'data-')), 'events');
    const first = await live(directory, events);
    expect(first.told()).toEqual([]);
    expect([...first.feed.state.jobs.keys()]).toEqual([sampleId(2)]);
    await first.store.update(sampleId(2), run);
    await first.feed.flush();
    expect(first.told()).toEqual(['2 state running']);
  });

  test('an end that was told and that the disk did not take is not told as a new job', async () => {
    const events = path.join(mkdtempSync(path.join(root, 'data-')), 'events');
    const first = await live(undefined, events);
    await make(first.store, 1);
    await first.store.update(sampleId(1), run);
    const { store, directory } = await openStore(first.directory);
    await first.store.update(sampleId(1), fail);
    await first.feed.flush();
    const before = first.told();
    // The record as it was.
    await store.update(sampleId(1), (job) => ({ ...job }));
    const second = await live(directory, events);
    expect(second.told()).toEqual(before);
    await second.store.update(sampleId(1), fail);
    await second.feed.flush();
    expect(second.told()).toEqual([...before, '1 state failed']);
  });
});
