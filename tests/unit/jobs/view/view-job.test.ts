import { describe, expect, test } from '@jest/globals';
import { utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Job } from '../../../../src/jobs/model/job.ts';
import { jobViewSchema } from '../../../../src/jobs/model/job-view.ts';
import type { Turn } from '../../../../src/jobs/run/job-queue.ts';
import { viewJob } from '../../../../src/jobs/view/view-job.ts';
import { sampleJob } from '../../../support/sample-job.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const directory = temporaryDirectory();
const logPath = path.join(directory, 'log');
const changedAt = '2026-01-02T03:04:05.000Z';

function view(
  changes: Partial<Job>,
  live: { logPath?: string; most?: number; turn?: Turn; nonProgress?: RegExp } = {},
) {
  const { most: mostLogBytes, turn = null, nonProgress } = live;
  return viewJob(sampleJob(changes), {
    logPath: live.logPath ?? logPath,
    turn,
    mostLogBytes,
    nonProgress,
    webhook: null,
    host: null,
  });
}

function writeLog(text: string): void {
  writeFileSync(logPath, text);
  utimesSync(logPath, new Date(changedAt), new Date(changedAt));
}

test('is what the schema of the reply says, without what is the business of the service', async () => {
  writeLog('one\n');
  const shown = await view({ state: 'queued' }, { turn: { position: 3, waitsFor: null } });
  const waitsFor = { reason: 'capacity', job: null };
  expect(jobViewSchema.strict().parse(shown)).toMatchObject({
    logPath,
    host: null,
    queuePosition: 3,
    waitsFor,
  });
});

test('tells which job a job waits for, as long as it waits', async () => {
  const turn = { position: 1, waitsFor: 'job-1-aaaaaa' };
  expect(await view({ state: 'queued' }, { turn })).toMatchObject({
    waitsFor: { reason: 'workdir', job: 'job-1-aaaaaa' },
  });
  expect(await view({ state: 'running' }, { turn })).toMatchObject({ queuePosition: null, waitsFor: null });
});

describe('while the job runs', () => {
  test('the log is as long as its file, and its last line is the progress', async () => {
    writeLog('one\ntwo\n');
    expect(await view({ state: 'running' })).toMatchObject({
      logSize: 8,
      progress: { message: 'two', at: changedAt },
    });
    expect((await view({ state: 'running' }, { nonProgress: /^two$/ })).progress?.message).toBe('one');
  });

  test('only the end of a long log is looked at', async () => {
    writeLog(`seen\n${'\n'.repeat(4_096)}`);
    expect((await view({ state: 'running' })).progress).toBeNull();
    writeLog(`seen\n${'\n'.repeat(4_000)}`);
    expect((await view({ state: 'running' })).progress?.message).toBe('seen');
  });
});

describe('when the job has ended', () => {
  const progress = { message: 'kept', at: changedAt };

  test('it has no place in the queue, though it may not be out of it yet', async () => {
    const canceled = { state: 'canceled', logSize: 0 } as const;
    expect(await view(canceled, { turn: { position: 1, waitsFor: null } })).toMatchObject({
      queuePosition: null,
    });
  });

  test('the record says how long the log was, whatever a stray wrote later', async () => {
    writeLog('one\ntwo\nstray\n');
    expect(await view({ state: 'success', logSize: 8, progress })).toMatchObject({ logSize: 8, progress });
  });

  test('an end that was not to be seen is that of the file', async () => {
    writeLog('one\ntwo\n');
    expect(await view({ state: 'failed', logSize: null, progress })).toMatchObject({
      logSize: 8,
      progress: { message: 'two' },
    });
  });
});
