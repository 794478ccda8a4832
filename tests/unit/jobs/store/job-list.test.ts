import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Job } from '../../../../src/jobs/model/job.ts';
import type { JobFilter, PageRequest } from '../../../../src/jobs/model/job-filter.ts';
import { selectJobs } from '../../../../src/jobs/store/job-list.ts';
import { JobStore } from '../../../../src/jobs/store/job-store.ts';
import { MemoryLogger } from '../../../support/memory-logger.ts';
import { sampleId, sampleJob } from '../../../support/sample-job.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();
const store = new JobStore(path.join(root, 'jobs'), new MemoryLogger());

const jobs: Partial<Job>[] = [
  { state: 'success', labels: { team: 'a', course: 'bgp=1' } },
  { state: 'failed', action: 'down', workdir: '/labs/two' },
  { state: 'canceled', instance: '7' },
  { state: 'queued', labels: { team: 'b' } },
  { state: 'running', action: 'status', instance: 'default' },
];

async function numbers(filter: Partial<JobFilter & PageRequest>): Promise<number[]> {
  const page = await selectJobs(store, { limit: 100, ...filter });
  return page.jobs.map(({ id }) => Number(id.split('-')[1]) - 1_700_000_000_000);
}

beforeAll(async () => {
  await store.prepare();
  for (const [index, changes] of jobs.entries()) {
    await store.create(sampleJob({ id: sampleId(index + 1), ...changes }), undefined);
  }
});

afterAll(() => store.close());

describe('pages', () => {
  test.each([1, 2, 3, 4, 5, 6])('of %d give every job once, in order', async (limit) => {
    const seen: string[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const page = await selectJobs(store, { limit, ...(cursor !== undefined && { cursor }) });
      seen.push(...page.jobs.map(({ id }) => id));
      cursor = page.nextCursor ?? undefined;
      pages += 1;
    } while (cursor !== undefined);
    expect(seen).toEqual([5, 4, 3, 2, 1].map(sampleId));
    expect(pages).toBe(Math.ceil(5 / limit));
  });

  test('go on after a job that is there no longer', async () => {
    expect(await numbers({ cursor: 'job-1700000000003-ffffff' })).toEqual([3, 2, 1]);
    expect(await numbers({ cursor: sampleId(0) })).toEqual([]);
  });

  test('do not shift when new jobs come in between', async () => {
    const first = await selectJobs(store, { limit: 2 });
    await store.create(sampleJob({ id: sampleId(6), state: 'failed' }), undefined);
    expect(await numbers({ limit: 2, cursor: first.nextCursor ?? '' })).toEqual([3, 2]);
    await store.remove(sampleId(6));
  });
});

test('a page of large records is shorter than asked for, and the pages together hold them all', async () => {
  const large = new JobStore(path.join(root, 'large'), new MemoryLogger());
  await large.prepare();
  // The largest request that is accepted, in the record and, as arguments, once more.
  const request = { action: 'up', set: { text: 'x'.repeat(63_000) } };
  const command = ['/bin/true', '--set', `text=${'x'.repeat(63_000)}`];
  const ids = Array.from({ length: 30 }, (_, index) => sampleId(index + 1));
  for (const id of ids) await large.create(sampleJob({ id, request, command }), undefined);
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await selectJobs(large, { limit: 500, ...(cursor !== undefined && { cursor }) });
    expect(JSON.stringify(page.jobs).length).toBeLessThan(1.1 * 1024 * 1024);
    expect(page.jobs.length).toBeGreaterThan(0);
    seen.push(...page.jobs.map(({ id }) => id));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  expect(seen).toEqual(ids.toReversed());
  await large.close();
});

describe('a page', () => {
  /** A service that knows these finished jobs from the index, and has read none of their records. */
  async function storeWith(name: string, finished: readonly Partial<Job>[]): Promise<JobStore> {
    const first = new JobStore(path.join(root, name), new MemoryLogger());
    await first.prepare();
    await first.load();
    for (const [index, changes] of finished.entries()) {
      const id = sampleId(index + 1);
      await first.create(sampleJob({ id, ...changes }), undefined);
      await first.update(id, (job) => ({ ...job, state: 'failed' }));
    }
    await first.close();
    const next = new JobStore(first.directory, new MemoryLogger());
    await next.load();
    return next;
  }

  const idsOf = (page: { readonly jobs: readonly Job[] }): string[] => page.jobs.map(({ id }) => id);

  test('leaves out what turns out to be damaged, unreadable or another job than it seemed', async () => {
    const some = await storeWith('odd', [{}, {}, {}, {}]);
    writeFileSync(some.paths(sampleId(1)).record, 'damaged');
    rmSync(some.paths(sampleId(2)).directory, { recursive: true });
    writeFileSync(some.paths(sampleId(2)).directory, 'a file');
    writeFileSync(
      some.paths(sampleId(3)).record,
      JSON.stringify(sampleJob({ id: sampleId(3), state: 'success' })),
    );
    const page = await selectJobs(some, { limit: 100, states: ['failed'] });
    expect({ ids: idsOf(page), nextCursor: page.nextCursor }).toEqual({
      ids: [sampleId(4)],
      nextCursor: null,
    });
    await some.close();
  });

  test('holds one record at least, however large it is', async () => {
    const text = 'x'.repeat(1024 * 1024);
    const large = await storeWith('one-large', [{}, { request: { action: 'up', text } }, {}]);
    const first = await selectJobs(large, { limit: 5 });
    expect({ ids: idsOf(first), nextCursor: first.nextCursor }).toEqual({
      ids: [sampleId(3)],
      nextCursor: sampleId(3),
    });
    const second = await selectJobs(large, { limit: 5, cursor: sampleId(3) });
    expect({ ids: idsOf(second), nextCursor: second.nextCursor }).toEqual({
      ids: [sampleId(2)],
      nextCursor: sampleId(2),
    });
    await large.close();
  });
});
