import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { getEventListeners } from 'node:events';
import { appendFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { transition, type Job } from '../../../../src/jobs/model/job.ts';
import { JobStore } from '../../../../src/jobs/store/job-store.ts';
import { LogTail } from '../../../../src/jobs/view/log-tail.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { MemoryLogger } from '../../../support/memory-logger.ts';
import { sampleId, sampleJob } from '../../../support/sample-job.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();
const id = sampleId(1);
const running = sampleJob({ id, state: 'running' });
const kib64 = 65_536;
let count = 0;
let store: JobStore;
let log: string;
let tail: LogTail;

beforeEach(async () => {
  store = new JobStore(path.join(root, `jobs-${(count += 1)}`), new MemoryLogger());
  await store.prepare();
  await store.create(running, undefined);
  ({ log } = store.paths(id));
  writeFileSync(log, 'one\ntwo\n');
  tail = new LogTail(store, id);
});
afterEach(async () => {
  tail.dispose();
  await store.close();
});

const nobody = new AbortController().signal;
const first = async () => (await tail.next(undefined, nobody))!;
const listeners = (): number => store.listenerCount('change');

describe('what is there', () => {
  test('is as long as the file, or as far as anybody is shown of it', async () => {
    expect(await first()).toEqual({ job: running, extent: { size: 8, end: 8, complete: false } });
    store.limitLog(id, 4);
    const limited = new LogTail(store, id);
    expect((await limited.next(undefined, nobody))?.extent).toEqual({ size: 8, end: 4, complete: false });
    limited.dispose();
  });

  test('is told at once when the job changes', async () => {
    const before = await first();
    const canceling = transition(running, 'canceling');
    store.emit('change', canceling, running);
    expect(tail.snapshot).toEqual({ job: canceling, extent: before.extent });
    expect(await tail.next(before, nobody)).toBe(tail.snapshot);
  });

  test('is told of the newest job, also when that changed before the first look, or in the middle of it', async () => {
    const canceling = transition(running, 'canceling');
    store.emit('change', canceling, running);
    expect((await first()).job).toBe(canceling);
    const another = new LogTail(store, id);
    const sizeOf = store.frozenLogSize.bind(store);
    const labeled: Job = { ...canceling, labels: { now: 'this' } };
    store.frozenLogSize = (of) => {
      store.frozenLogSize = sizeOf;
      store.emit('change', labeled, canceling);
      return sizeOf(of);
    };
    expect((await another.next(undefined, nobody))?.job).toBe(labeled);
    another.dispose();
  });
});

describe('who waits for news', () => {
  test('is let go, and forgotten', async () => {
    const seen = await first();
    const leaving = new AbortController();
    const news = tail.next(seen, leaving.signal);
    expect(getEventListeners(leaving.signal, 'abort')).toHaveLength(1);
    leaving.abort();
    expect(await news).toBeUndefined();
    expect(getEventListeners(leaving.signal, 'abort')).toEqual([]);
  });

  test('is forgotten as well when there are news', async () => {
    const stays = new AbortController();
    const news = tail.next(await first(), stays.signal);
    store.emit('change', transition(running, 'canceling'), running);
    await news;
    expect(getEventListeners(stays.signal, 'abort')).toEqual([]);
  });
});

test('of a log that is whole nothing more is expected: nobody listens to the store', async () => {
  const seen = await first();
  expect(listeners()).toBe(1);
  await store.update(id, (job) => transition(job, 'success', { logSize: 8 }));
  let news = await tail.next(seen, nobody);
  while (!news!.extent.complete) news = await tail.next(news, nobody);
  expect(listeners()).toBe(0);
});

describe('a chunk', () => {
  const textOf = async (offset: number, end: number): Promise<string> =>
    (await tail.read(offset, end)).bytes.toString();

  test('is read once for all who are in step', async () => {
    const [one, other] = await Promise.all([tail.read(0, 8), tail.read(0, 8)]);
    expect(one).toBe(other);
    expect(await tail.read(0, 8)).toBe(one);
    expect(await textOf(4, 8)).toBe('two\n');
  });

  test('of nothing, or that could not be read, is read again', async () => {
    expect(await textOf(8, 12)).toBe('');
    appendFileSync(log, 'new\n');
    expect(await textOf(8, 12)).toBe('new\n');
    renameSync(log, `${log}.aside`);
    expect(await failureOf(tail.read(0, 8))).toMatchObject({ code: 'log-not-found' });
    renameSync(`${log}.aside`, log);
    expect(await textOf(0, 8)).toBe('one\ntwo\n');
  });

  test('is kept as long as it is one of the 64 that were asked for last', async () => {
    const end = 66 * kib64;
    writeFileSync(log, 'x'.repeat(end));
    const [oldest, second] = [await tail.read(0, end), await tail.read(kib64, end)];
    for (let index = 2; index < 64; index += 1) await tail.read(index * kib64, end);
    expect(await tail.read(0, end)).toBe(oldest);
    await tail.read(64 * kib64, end);
    expect(await tail.read(0, end)).toBe(oldest);
    const again = await tail.read(kib64, end);
    expect(again).toEqual(second);
    expect(again).not.toBe(second);
  });
});
