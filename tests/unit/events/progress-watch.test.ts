/** What running jobs print, while somebody listens. */
import { afterEach, expect, test } from '@jest/globals';
import { mkdtempSync } from 'node:fs';
import path from 'node:path';
import { Feed } from '../../../src/events/feed.ts';
import { FeedState } from '../../../src/events/feed-state.ts';
import { eventJob } from '../../../src/events/job-steps.ts';
import { ProgressWatch } from '../../../src/events/progress-watch.ts';
import type { JobService } from '../../../src/jobs/job-service.ts';
import { eventually } from '../../support/eventually.ts';
import { MemoryLogger } from '../../support/memory-logger.ts';
import { sampleId, sampleJob } from '../../support/sample-job.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const root = temporaryDirectory();
const at = '2026-01-02T03:04:07.000Z';
const closing: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function watching() {
  const directory = path.join(mkdtempSync(path.join(root, 'data-')), 'events');
  const feed = new Feed({ directory, log: new MemoryLogger() });
  closing.push(async () => feed.close());
  await feed.open(() => new FeedState());
  const asked: string[] = [];
  /** By id, what the job printed last; an error for one that cannot be read. */
  const printed = new Map<string, string | null | Error>();
  const get = async (id: string): ReturnType<JobService['get']> => {
    asked.push(id);
    const message = printed.get(id) ?? null;
    if (message instanceof Error) throw message;
    return { progress: message === null ? null : { message, at } } as Awaited<ReturnType<JobService['get']>>;
  };
  const watch = new ProgressWatch({ jobs: { get }, feed });
  const run = (number: number, startedAt: string | null = at): void => {
    const job = eventJob(sampleJob({ id: sampleId(number), state: 'running', startedAt }));
    feed.state.jobs.set(job.id, job);
  };
  const want = (): void => void closing.push(watch.want());
  const told = (version: number): string[] =>
    watch.after(version).map(({ job, message }) => `${job.id} ${message}`);
  return { feed, watch, run, printed, want, told, asked };
}

test('of each job is told what it printed last, in the order in which it came', async () => {
  const { feed, watch, run, printed, want, told } = await watching();
  let news = 0;
  feed.onNews(() => (news += 1));
  for (const number of [1, 2, 3]) run(number);
  run(4, null);
  printed.set(sampleId(1), 'one').set(sampleId(2), 'two').set(sampleId(3), new Error('the disk'));
  printed.set(sampleId(4), 'not started');
  expect([watch.version, told(0)]).toEqual([0, []]);
  want();
  await eventually('two to be told', () => watch.version === 2);
  expect(watch.after(0)[0]).toMatchObject({ message: 'one', at, job: { id: sampleId(1) } });
  expect(told(0)).toEqual([`${sampleId(1)} one`, `${sampleId(2)} two`]);
  expect([told(1), told(2)]).toEqual([[`${sampleId(2)} two`], []]);
  await eventually('those who wait to be woken', () => news === 1);
  printed.set(sampleId(1), 'one more');
  feed.state.jobs.delete(sampleId(2));
  await eventually('one more to be told', () => watch.version === 3);
  expect(told(0)).toEqual([`${sampleId(1)} one more`]);
  await eventually('those who wait to be woken again', () => news === 2);
});

test('nobody is asked when nobody listens any more', async () => {
  const { watch, run, asked } = await watching();
  run(1);
  const [first, second] = [watch.want(), watch.want()];
  first();
  await eventually('the job to be asked for', () => asked.length > 0);
  second();
  const before = asked.length;
  const again = watch.want();
  again();
  expect(asked).toHaveLength(before);
});

test('a job that has ended while it was read is not told of', async () => {
  const { feed, run, printed, want, told, asked } = await watching();
  run(1);
  run(2);
  printed.set(sampleId(1), 'late').set(sampleId(2), 'two');
  const { jobs } = feed.state;
  const original = jobs.get.bind(jobs);
  jobs.get = (id) => (id === sampleId(1) ? undefined : original(id));
  want();
  await eventually('both to be asked for', () => asked.includes(sampleId(2)));
  await eventually('the other to be told', () => told(0).length > 0);
  expect(told(0)).toEqual([`${sampleId(2)} two`]);
});
