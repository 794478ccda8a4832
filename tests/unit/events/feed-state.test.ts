import { expect, test } from '@jest/globals';
import { FeedState } from '../../../src/events/feed-state.ts';
import { eventJob } from '../../../src/events/job-steps.ts';
import type { Change } from '../../../src/events/model/event.ts';
import type { Job } from '../../../src/jobs/model/job.ts';
import { sampleId, sampleJob } from '../../support/sample-job.ts';

const at = '2026-01-02T03:04:05.000Z';
const change = (kind: 'created' | 'state' | 'removed', changes: Partial<Job> = {}): Change => ({
  event: 'job',
  data: { change: kind, at, job: eventJob(sampleJob(changes)) },
});
const labChange = (kind: 'appeared' | 'changed' | 'ready' | 'gone', directory: string): Change => ({
  event: 'lab',
  data: {
    change: kind,
    at,
    lab: { instance: 'default', cli: 'netlab', directory, status: null, ready: null },
  },
});

test('a job is there from its first event until it has ended or is removed', () => {
  const state = new FeedState();
  state.apply(change('created'));
  expect([...state.jobs.values()]).toEqual([eventJob(sampleJob())]);
  state.apply(change('state', { state: 'running' }));
  expect(state.jobs.get(sampleId(1))?.state).toBe('running');
  state.apply(change('state', { state: 'failed' }));
  expect(state.jobs.size).toBe(0);
  state.apply(change('created', { id: sampleId(2) }));
  state.apply(change('removed', { id: sampleId(2) }));
  expect(state.jobs.size).toBe(0);
  expect(state.recent).toEqual([1, 2].map(sampleId));
});

test('a lab is there as it was seen last, until it is gone', () => {
  const state = new FeedState();
  state.apply(labChange('appeared', '/a'));
  state.apply(labChange('changed', '/b'));
  expect([...state.labs.values()]).toEqual([
    { instance: 'default', cli: 'netlab', directory: '/b', status: null, ready: null },
  ]);
  state.apply(labChange('gone', '/b'));
  expect(state.labs.size).toBe(0);
});

test('ids are remembered in order, each once, and the newest 200 of them', () => {
  const state = new FeedState();
  for (const number of [5, 3, 4, 5, 3]) state.remember(sampleId(number));
  expect(state.recent).toEqual([3, 4, 5].map(sampleId));
  // There were no others: one that is older was never told of.
  expect(state.hasTold(sampleId(1))).toBe(false);
  for (let number = 6; number <= 202; number += 1) state.remember(sampleId(number));
  expect(state.recent).toHaveLength(200);
  expect([2, 3].map((number) => state.hasTold(sampleId(number)))).toEqual([true, true]);
  state.remember(sampleId(203));
  expect(state.recent).toHaveLength(200);
  expect(state.recent[0]).toBe(sampleId(4));
  expect([3, 204].map((number) => state.hasTold(sampleId(number)))).toEqual([true, false]);
});
