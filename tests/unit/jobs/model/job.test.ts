import { describe, expect, test } from '@jest/globals';
import {
  cancelUnstarted,
  jobSchema,
  jobStates,
  lockKey,
  putBack,
  transition,
  transitions,
  wantsCleanUp,
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

test.each([
  ['up', '/labs/demo'],
  ['create', '/labs/demo'],
  ['down', '/labs/demo'],
  ['collect', '/labs/demo'],
  ['status', null],
] as const)('%s takes the lock %j', (action, lock) => {
  expect(lockKey({ action, workdir: '/labs/demo' })).toBe(lock);
});

describe('a job of which nothing was started', () => {
  test('is canceled at once, and has no log', () => {
    const job = cancelUnstarted(sampleJob({ state: 'queued' }), 'ann');
    expect(job).toMatchObject({ state: 'canceled', reason: 'canceled', logSize: 0, startedAt: null });
    expect(job.error).toBe('canceled by ann before it started');
    expect(Math.abs(Date.parse(job.finishedAt!) - Date.now())).toBeLessThan(60_000);
    expect(cancelUnstarted(sampleJob({ state: 'queued' }), null).error).toBe('canceled before it started');
  });

  test('is put back as if it had never had its turn', () => {
    const at = '2026-01-02T03:04:05.678Z';
    const stopRequest = { reason: 'timeout', by: null, at } as const;
    const running = sampleJob({ state: 'running', startedAt: at, stopRequest });
    expect(putBack(running)).toEqual({ ...running, state: 'queued', startedAt: null, stopRequest: null });
  });
});

test.each([
  ['up', { onCancel: 'down' }, 'onCancel', true],
  ['up', { onCancel: 'keep' }, 'onCancel', false],
  ['up', { onCancel: 'down' }, 'onFailure', false],
  ['up', { onFailure: 'down' }, 'onFailure', true],
  ['up', {}, 'onCancel', false],
  ['create', { onCancel: 'down' }, 'onCancel', false],
  ['create', {}, 'onCancel', false],
] as const)('%s with %j, %s: cleaned up is %s', (action, request, when, expected) =>
  expect(wantsCleanUp({ action, request }, when)).toBe(expected),
);

describe('the record', () => {
  test.each([
    { id: '../../etc/passwd' },
    { id: 'job-1-ABCDEF' },
    { id: 'a-job-1-abcdef' },
    { id: 'job-1-abcdef0' },
    { idempotency: { key: 'k' } },
    { idempotency: { fingerprint: 'f' } },
    { progress: { message: 'm' } },
    { progress: { at: '2026-01-02T03:04:05.678Z' } },
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

  /** What every record has had since the first version. A field that came later must have a default. */
  const ofFirstVersion = [
    'id',
    'action',
    'state',
    'createdAt',
    'startedAt',
    'finishedAt',
    'error',
    'workdir',
    'reason',
    'exitCode',
    'signal',
    'command',
    'request',
    'warnings',
    'instance',
    'labels',
    'requestedBy',
    'retryOf',
    'timeoutMs',
    'stopRequest',
    'logSize',
    'progress',
    'leftovers',
  ];
  const firstRecord = Object.fromEntries(
    Object.entries(sampleJob()).filter(([name]) => ofFirstVersion.includes(name)),
  );

  test('of the first version is read', () => {
    expect(Object.keys(firstRecord)).toEqual(ofFirstVersion);
    expect(jobSchema.parse(firstRecord)).toEqual(sampleJob());
  });

  test.each(ofFirstVersion)('without %s is damaged', (field) => {
    const { [field]: _gone, ...rest } = firstRecord;
    expect(jobSchema.safeParse(rest).success).toBe(false);
  });
});
