import { beforeEach, expect, test } from '@jest/globals';
import { appendFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { transition, type Job } from '../../../../src/jobs/model/job.ts';
import type { Followed } from '../../../../src/jobs/model/job-log.ts';
import type { JobView } from '../../../../src/jobs/model/job-view.ts';
import type { JobStore } from '../../../../src/jobs/store/job-store.ts';
import { LogFollowers, openJobLog } from '../../../../src/jobs/view/log-followers.ts';
import { sampleId, sampleJob } from '../../../support/sample-job.ts';
import { storedJobs } from '../../../support/stored-jobs.ts';

const { openStore } = storedJobs();
const id = sampleId(1);
let store: JobStore;
let followers: LogFollowers;
let log: string;

beforeEach(async () => {
  ({ store } = await openStore());
  await store.create(sampleJob({ id, state: 'running' }), undefined);
  followers = new LogFollowers(store);
  ({ log } = store.paths(id));
  writeFileSync(log, '');
});

const end = (logSize: number): Promise<Job> =>
  store.update(id, (job) => transition(job, 'success', { logSize, finishedAt: '2026-01-02T03:04:05.678Z' }));

type News = Followed<Pick<Job, 'state'>>;
const inWords = (news: News): string =>
  news.kind === 'state' ? `<${news.job.state}>` : news.chunk.bytes.toString();

interface Following {
  readonly offset?: number;
  readonly signal?: AbortSignal;
  /** Called with each piece of news as it comes. */
  readonly onNews?: (news: News) => unknown;
}

/** All that a follower gets, until there is no more. */
async function follow({ offset = 0, signal, onNews }: Following = {}): Promise<string[]> {
  const heard: string[] = [];
  const options = { id, offset, signal: signal ?? new AbortController().signal };
  for await (const news of followers.follow(options)) {
    heard.push(inWords(news));
    await onNews?.(news);
  }
  return heard;
}

test('a log that grows is given as it grows, and the last state after the last byte', async () => {
  appendFileSync(log, 'one\n');
  const heard = await follow({
    onNews: async (news) => {
      if (inWords(news) === 'one\n') appendFileSync(log, 'two\n');
      if (inWords(news) === 'two\n') {
        appendFileSync(log, 'three\n');
        await end(14);
      }
    },
  });
  expect(heard).toEqual(['<running>', 'one\n', 'two\n', 'three\n', '<success>']);
});

test('a follower who goes hears nothing more; the others do', async () => {
  const leaving = new AbortController();
  const stays = follow({
    onNews: async (news) => {
      if (inWords(news) === 'one\n') await end(4);
    },
  });
  const leaves = follow({
    signal: leaving.signal,
    onNews: () => leaving.abort(),
  });
  expect(await leaves).toEqual(['<running>']);
  appendFileSync(log, 'one\n');
  expect(await stays).toEqual(['<running>', 'one\n', '<success>']);
});

test('who is told to stop while there is more to read is given no more of it', async () => {
  const leaving = new AbortController();
  writeFileSync(log, 'x'.repeat(200_000));
  const heard = await follow({
    signal: leaving.signal,
    onNews: (news) => news.kind === 'log' && leaving.abort(),
  });
  expect(heard).toHaveLength(2);
});

test('the look at a log ends with the last of those who follow it, and not before', async () => {
  const [one, other] = [new AbortController(), new AbortController()];
  const leave = (leaving: AbortController) =>
    follow({ signal: leaving.signal, onNews: () => leaving.abort() });
  const stays = follow({ signal: other.signal });
  expect(await leave(one)).toEqual(['<running>']);
  expect(store.listenerCount('change')).toBe(1);
  other.abort();
  await stays;
  expect(store.listenerCount('change')).toBe(0);
  expect(await leave(new AbortController())).toEqual(['<running>']);
  expect(store.listenerCount('change')).toBe(0);
});

test('a log that somebody makes shorter gives no more, and no empty pieces', async () => {
  writeFileSync(log, 'one\ntwo\n');
  const all = followers.follow({ id, offset: 0, signal: new AbortController().signal });
  expect(inWords((await all.next()).value as News)).toBe('<running>');
  truncateSync(log, 4);
  expect(inWords((await all.next()).value as News)).toBe('one\n');
  const next = all.next();
  await end(4);
  expect(inWords((await next).value as News)).toBe('<success>');
  expect(await all.next()).toEqual({ done: true, value: undefined });
});

test('nobody is shown more of a log than its limit', async () => {
  writeFileSync(log, 'one\ntwo\n');
  store.limitLog(id, 4);
  const job = (await store.get(id))!;
  const view = async ({ state }: Job): Promise<JobView> => ({ state }) as JobView;
  expect((await openJobLog(job, { store, followers, view })).extent).toMatchObject({ size: 8, end: 4 });
});

test('the log of a job is read through its port, with jobs as clients see them', async () => {
  writeFileSync(log, 'one\ntwo\n');
  const job = await end(8);
  const view = async ({ state }: Job): Promise<JobView> => ({ state, host: 'here' }) as JobView;
  const opened = await openJobLog(job, { store, followers, view });
  expect(opened).toMatchObject({ state: 'success', extent: { size: 8, end: 8, complete: true } });
  expect(await opened.tailOffset(1)).toBe(4);
  expect(Buffer.concat(await (await opened.read(1, 5)).toArray()).toString()).toBe('ne\nt');
  const heard: unknown[] = [];
  for await (const news of opened.follow({ offset: 4, signal: new AbortController().signal }))
    heard.push(news.kind === 'state' ? news.job : news.chunk.bytes.toString());
  expect(heard).toEqual([{ state: 'success', host: 'here' }, 'two\n']);
});

test('those who come to a log that others follow share its extent and the view of its job', async () => {
  writeFileSync(log, 'one\n');
  const job = (await store.get(id))!;
  let views = 0;
  const view = async ({ state }: Job): Promise<JobView> =>
    ({ state, views: (views += 1) }) as unknown as JobView;
  const over = new AbortController();
  const first = (await openJobLog(job, { store, followers, view }, true)).follow({
    offset: 0,
    signal: over.signal,
  });
  await first.next();
  rmSync(log);
  const opened = await openJobLog(job, { store, followers, view }, true);
  expect(opened.extent).toMatchObject({ end: 4, complete: false });
  const second = opened.follow({ offset: 0, signal: over.signal });
  expect(await second.next()).toMatchObject({ value: { kind: 'state', job: { views: 1 } } });
  await expect(openJobLog(job, { store, followers, view })).rejects.toMatchObject({ code: 'log-not-found' });
  over.abort();
  await Promise.all([first.return(undefined), second.return(undefined)]);
});
