import { describe, expect, test } from '@jest/globals';
import {
  isTerminal,
  jobSchema,
  jobStates,
  lockKey,
  transition,
  transitions,
} from '../../../../src/jobs/model/job.ts';
import { sampleJob } from '../../../support/sample-job.ts';

const legal = [
  'queued running',
  'queued canceled',
  'running canceling',
  'running success',
  'running failed',
  'running queued',
  'canceling canceled',
  'canceling success',
  'canceling failed',
];
const pairs = jobStates.flatMap((from) => jobStates.map((to) => [from, to] as const));

describe('transitions', () => {
  test.each(pairs.filter(([from, to]) => legal.includes(`${from} ${to}`)))('%s to %s', (from, to) => {
    const before = sampleJob({ state: from });
    expect(transition(before, to, { error: 'why' })).toEqual({ ...before, state: to, error: 'why' });
    expect(before.state).toBe(from);
  });

  test.each(pairs.filter(([from, to]) => !legal.includes(`${from} ${to}`)))('%s to %s throws', (from, to) => {
    const job = sampleJob({ state: from });
    expect(() => transition(job, to)).toThrow(`illegal transition of ${job.id}: ${from} to ${to}`);
  });

  test('every one of the table was tried', () => {
    expect(Object.values(transitions).flat()).toHaveLength(legal.length);
  });

  test('the new state cannot be smuggled in with the changes', () => {
    expect(transition(sampleJob(), 'running', { state: 'success' }).state).toBe('running');
  });
});

test('success, failed and canceled are terminal', () => {
  expect(jobStates.filter(isTerminal)).toEqual(['success', 'failed', 'canceled']);
});

test.each([
  ['up', '/labs/demo'],
  ['create', '/labs/demo'],
  ['down', '/labs/demo'],
  ['collect', '/labs/demo'],
  ['status', null],
] as const)('%s takes the lock %j', (action, lock) => {
  expect(lockKey({ action, workdir: '/labs/demo' })).toBe(lock);
});

describe('the record', () => {
  test('survives the way through JSON', () => {
    const job = sampleJob({
      stopRequest: { reason: 'timeout', by: null, at: '2026-01-02T03:04:05.678Z' },
      labels: { a: 'b' },
    });
    expect(jobSchema.parse(JSON.parse(JSON.stringify(job)))).toEqual(job);
  });

  test.each([
    { id: '../../etc/passwd' },
    { id: 'job-1-ABCDEF' },
    { state: 'done' },
    { action: 'destroy' },
    { createdAt: 'yesterday' },
    { exitCode: 1.5 },
    { command: [] },
    { workdir: null },
    { reason: 'bored' },
    { timeoutMs: 0 },
    { leftovers: ['1'] },
    { labels: { a: 1 } },
  ])('with %j is damaged', (change) => {
    expect(jobSchema.safeParse({ ...sampleJob(), ...change }).success).toBe(false);
  });

  // Records of an earlier version lack these.
  const later = ['cleanupOf', 'cleanupJobId', 'mayHaveLeftLab', 'idempotency'];

  test.each(later)('may lack %s', (field) => {
    const { [field as 'id']: _gone, ...rest } = sampleJob();
    expect(jobSchema.parse(rest)).toEqual(sampleJob());
  });

  test.each(Object.keys(sampleJob()).filter((field) => !later.includes(field)))(
    'without %s is damaged',
    (field) => {
      const { [field as 'id']: _gone, ...rest } = sampleJob();
      expect(jobSchema.safeParse(rest).success).toBe(false);
    },
  );
});
