import { describe, expect, test } from '@jest/globals';
import { changesTo } from '../../../src/events/job-steps.ts';
import type { Job, JobState } from '../../../src/jobs/model/job.ts';
import { sampleJob } from '../../support/sample-job.ts';

const [createdAt, startedAt, stoppedAt, finishedAt] = [1, 2, 3, 4].map(
  (second) => `2026-01-02T03:04:0${second}.000Z`,
) as [string, string, string, string];

const records: Record<string, Partial<Job>> = {
  queued: {},
  running: { state: 'running', startedAt },
  success: { state: 'success', startedAt, finishedAt, exitCode: 0, reason: 'exited' },
  canceled: {
    state: 'canceled',
    startedAt,
    finishedAt,
    reason: 'canceled',
    error: 'canceled by alice',
    stopRequest: { reason: 'canceled', by: 'alice', at: stoppedAt },
  },
  'canceled in the queue': { state: 'canceled', finishedAt, reason: 'canceled' },
  overdue: {
    state: 'failed',
    startedAt,
    finishedAt,
    reason: 'timeout',
    stopRequest: { reason: 'timeout', by: null, at: stoppedAt },
  },
};

function told(record: string, known: JobState | undefined): string[] {
  return changesTo(sampleJob({ createdAt, ...records[record] }), known).map(({ data }) =>
    'job' in data ? `${data.change} ${data.job.state} ${data.at.slice(18, 19)}` : '',
  );
}

describe('the changes that a record tells of', () => {
  test.each<[string, JobState | undefined, string[]]>([
    ['queued', undefined, ['created queued 1']],
    ['success', undefined, ['created queued 1', 'state running 2', 'state success 4']],
    ['success', 'running', ['state success 4']],
    ['success', 'queued', ['state running 2', 'state success 4']],
    ['canceled', undefined, ['created queued 1', 'state running 2', 'state canceling 3', 'state canceled 4']],
    ['canceled', 'running', ['state canceling 3', 'state canceled 4']],
    ['canceled', 'canceling', ['state canceled 4']],
    ['canceled in the queue', 'queued', ['state canceled 4']],
    // A limit is no cancel: the job is `running` to its end.
    ['overdue', 'running', ['state failed 4']],
    ['running', 'running', []],
    // Put back to the queue, and what came of it.
    ['queued', 'running', ['state queued 1']],
    ['canceled in the queue', 'running', ['state queued 1', 'state canceled 4']],
  ])('%s, of which was told %s', (record, known, expected) => {
    expect(told(record, known)).toEqual(expected);
  });

  test('say nothing of what came later', () => {
    const [created, running] = changesTo(sampleJob(records['canceled']), undefined);
    expect(created?.data).toMatchObject({ job: { startedAt: null, finishedAt: null, error: null } });
    expect(running?.data).toMatchObject({ job: { startedAt, finishedAt: null, reason: null } });
  });
});
