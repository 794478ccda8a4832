/** What may have changed between the acceptance of a job and its start. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import type { Job } from '../../../../src/jobs/model/job.ts';
import { checkStart } from '../../../../src/jobs/run/start-check.ts';
import { openedBelow } from '../../../support/opened-below.ts';
import { sampleId, sampleJob } from '../../../support/sample-job.ts';
import { storedJobs } from '../../../support/stored-jobs.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const { openStore } = storedJobs();
const root = temporaryDirectory();
const startedAt = '2026-01-02T03:04:06.000Z';

let workdir: string;
beforeEach(() => {
  workdir = path.join(realpathSync(mkdtempSync(path.join(root, 'case-'))), 'lab');
  mkdirSync(workdir);
});

interface Asked {
  readonly changes?: Partial<Job>;
  /** Jobs that have not ended, beside the one that is to start. */
  readonly others?: readonly Partial<Job>[];
  readonly obsolete?: string;
  readonly beside?: (job: Job, running: readonly Job[]) => string | undefined;
  readonly allows?: (directory: string) => boolean;
  readonly runsWithoutDirectory?: boolean;
}

async function checked({ changes = {}, others = [], obsolete, beside, allows, ...more }: Asked = {}) {
  const { store } = await openStore();
  const job = sampleJob({ id: sampleId(5), state: 'running', startedAt, workdir, ...changes });
  for (const one of [job, ...others.map((other) => sampleJob({ state: 'running', ...other }))])
    await store.create(one, undefined);
  return checkStart(job, {
    store,
    lab: {
      allows: allows ?? ((directory) => directory === workdir),
      runsWithoutDirectory: () => more.runsWithoutDirectory ?? false,
      ...(beside && { whyNotBeside: async (own, running) => Promise.resolve(beside(own, running)) }),
    },
    whyObsolete: async () => Promise.resolve(obsolete),
  });
}

const opened = (): string[] => openedBelow(path.dirname(workdir));

test('a job that may start does so in the directory that was looked at', async () => {
  const check = await checked();
  expect(check).toMatchObject({ kind: 'ready', cwd: expect.stringMatching(/^\/proc\/self\/fd\/\d+$/) });
  expect(opened()).toEqual([workdir]);
  if (check.kind === 'ready') await check.close();
});

test('a job that needs no directory starts where nothing is, once its own is gone', async () => {
  rmSync(workdir, { recursive: true });
  expect(await checked({ runsWithoutDirectory: true })).toMatchObject({ kind: 'ready', cwd: '/' });
  // In its place there is something else now.
  symlinkSync('/', workdir);
  expect(await checked({ runsWithoutDirectory: true })).toMatchObject({ kind: 'refused' });
});

describe('a job does not start', () => {
  test('that nobody wants any more, whatever else is wrong with it', async () => {
    rmSync(workdir, { recursive: true });
    expect(await checked({ obsolete: 'the lab is gone' })).toEqual({
      kind: 'obsolete',
      why: 'the lab is gone',
    });
  });

  test('that was canceled meanwhile', async () => {
    const stopRequest = { reason: 'canceled', by: 'ann', at: startedAt } as const;
    expect(await checked({ changes: { state: 'canceling', stopRequest } })).toEqual({
      kind: 'refused',
      why: 'it was canceled before it started',
    });
  });

  test.each<[string, Asked, (directory: string) => string]>([
    [
      'in a directory that is not allowed any more',
      { allows: () => false },
      (directory) => `the working directory ${directory} is not allowed here any more`,
    ],
    [
      'without its lab CLI',
      { changes: { command: ['/no/such/netlab'] } },
      () => 'the lab CLI /no/such/netlab is gone or not executable',
    ],
    [
      'with one that cannot be executed',
      { changes: { command: ['/etc/passwd'] } },
      () => 'the lab CLI /etc/passwd is gone or not executable',
    ],
    ['without any program', { changes: { command: [] } }, () => 'the lab CLI  is gone or not executable'],
  ])('%s, which leaves nothing open', async (_what, asked, why) => {
    expect(await checked(asked)).toEqual({ kind: 'refused', why: why(workdir) });
    expect(opened()).toEqual([]);
  });

  test('beside those that began before it and may not run with it', async () => {
    const seen: string[][] = [];
    const others: Partial<Job>[] = [
      { id: sampleId(1), startedAt: '2026-01-02T03:04:05.999Z' },
      { id: sampleId(2), startedAt: '2026-01-02T03:04:06.001Z' },
      { id: sampleId(3), startedAt },
      { id: sampleId(4), state: 'queued' },
      { id: sampleId(6), startedAt },
    ];
    const check = await checked({
      others,
      beside: (job, running) => {
        seen.push([job.id, ...running.map(({ id }) => id)]);
        return 'another one restarts the lab';
      },
    });
    expect(check).toEqual({ kind: 'refused', why: 'another one restarts the lab' });
    expect(seen).toEqual([[sampleId(5), sampleId(1), sampleId(3)]]);
  });
});

test('what the machine cannot tell now is no reason to refuse a job', async () => {
  const failing = checked({
    beside: () => {
      throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
    },
  });
  await expect(failing).rejects.toMatchObject({ code: 'EMFILE' });
  expect(opened()).toEqual([]);
});
