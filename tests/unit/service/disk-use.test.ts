import { beforeEach, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { JobStore } from '../../../src/jobs/store/job-store.ts';
import { DiskUsage } from '../../../src/service/disk-use.ts';
import type { Images } from '../../../src/labs/images.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const base = temporaryDirectory();
const image = { name: 'frr:10', id: 'sha256:0', size: 700, addedAt: '', isRouter: true };

let dataDir: string;
let nowMs: number;
let asked: number;
let list: Images['list'];
beforeEach(() => {
  dataDir = mkdtempSync(path.join(base, 'data-'));
  for (const name of ['jobs', 'workspaces', 'workspaces/.lab-api', 'workspaces/large', 'events'])
    mkdirSync(path.join(dataDir, name));
  nowMs = Date.parse('2026-03-01T12:00:00.000Z');
  asked = 0;
  list = () => {
    asked += 1;
    return Promise.resolve([image, image]);
  };
});

const job = { action: 'up', requestedBy: 'ann' };

interface Options {
  readonly jobs?: number;
  readonly isStopping?: boolean;
  /** A link to the data directory, instead of itself. */
  readonly link?: string;
}

function usage({ jobs = 0, isStopping = false, link = dataDir }: Options = {}): DiskUsage {
  const directory = path.join(dataDir, 'jobs');
  const summaries = Array.from({ length: jobs }, (_, index) => ({ ...job, id: `job-${index}`, size: index }));
  const store = { directory, summaries: () => summaries, unfinished: () => [] } as unknown as JobStore;
  const places = {
    directory: path.join(dataDir, 'workspaces'),
    ownDirectory: path.join(dataDir, 'workspaces', '.lab-api'),
    names: () => Promise.resolve(['large', 'new']),
    record: () => undefined,
  };
  const sizes = {
    bytesOf: (name: string) => (name === 'large' ? 4096 : 0),
    isKnown: (name: string) => name === 'large',
  };
  return new DiskUsage({
    dataDir: link,
    auditFile: path.join(link, 'audit.jsonl'),
    workspaces: { store: places, sizes } as never,
    store,
    images: { list: async (signal) => list(signal) },
    shutdown: isStopping ? AbortSignal.abort() : new AbortController().signal,
    nowMs: () => nowMs,
  });
}

const kindsOf = async (measured: DiskUsage) =>
  Object.fromEntries((await measured.read()).kinds.map(({ kind, size }) => [kind, size]));

test('all who ask together get one measurement, which is kept for a minute', async () => {
  const measured = usage();
  await Promise.all([measured.read(), measured.read(), measured.read()]);
  nowMs += 59_999;
  expect((await measured.read()).measuredAt).toBe('2026-03-01T12:00:00.000Z');
  expect(asked).toBe(1);
  nowMs += 1;
  expect((await measured.read()).measuredAt).toBe('2026-03-01T12:01:00.000Z');
  expect(asked).toBe(2);
});

test('a clock that was set back does not keep an old measurement', async () => {
  const measured = usage();
  await measured.read();
  nowMs -= 3_600_000;
  await measured.read();
  expect(asked).toBe(2);
});

test('state is all but jobs and workspaces', async () => {
  const sizes = { 'jobs/log': 10_000, 'workspaces/large/file': 20_000, 'workspaces/.lab-api/x': 3 };
  for (const [file, size] of Object.entries({ ...sizes, 'events/1': 40, 'audit.jsonl': 500 }))
    writeFileSync(path.join(dataDir, file), 'x'.repeat(size));
  expect(await kindsOf(usage())).toEqual({ jobs: 0, workspaces: 4096, images: 1400, state: 543 });
});

test('the audit counts once when the data directory is a link', async () => {
  writeFileSync(path.join(dataDir, 'audit.jsonl'), 'x'.repeat(500));
  const link = `${dataDir}-link`;
  symlinkSync(dataDir, link);
  expect(await kindsOf(usage({ link }))).toMatchObject({ state: 500 });
});

test('state with too many files to count is a part of it, and says so', async () => {
  const fill = (from: number, to: number): void => {
    for (let number = from; number < to; number += 1)
      writeFileSync(path.join(dataDir, 'events', String(number)), '');
  };
  const stateOf = async () => (await usage().read()).kinds.find(({ kind }) => kind === 'state');
  fill(0, 19_000);
  expect(await stateOf()).toEqual({ kind: 'state', size: 0 });
  fill(19_000, 20_100);
  expect(await stateOf()).toEqual({ kind: 'state', size: 0, partial: true });
});

test('the largest jobs come first, whatever their order, and unknown workspaces are counted', async () => {
  const { largestJobs, users, unmeasuredWorkspaces } = await usage({ jobs: 1000 }).read();
  expect(largestJobs.map(({ size }) => size)).toEqual([999, 998, 997, 996, 995, 994, 993, 992, 991, 990]);
  expect(users).toEqual([
    { user: 'ann', jobs: 499_500, workspaces: 0 },
    { user: null, jobs: 0, workspaces: 4096 },
  ]);
  expect(unmeasuredWorkspaces).toBe(1);
});

test('an engine that fails hides nothing else', async () => {
  list = () => Promise.reject(new Error('no engine'));
  expect(await kindsOf(usage())).toMatchObject({ images: null, state: 0 });
});

test('a service that stops measures no further', async () => {
  for (const name of ['a', 'b', 'c']) writeFileSync(path.join(dataDir, 'events', name), 'xx');
  expect(await kindsOf(usage({ isStopping: true }))).toMatchObject({ state: 0 });
});
