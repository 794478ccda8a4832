import { describe, expect, test } from '@jest/globals';
import { jobMatcher, type JobFilter } from '../../../../src/jobs/model/job-filter.ts';
import { sampleJob } from '../../../support/sample-job.ts';

const job = sampleJob({
  state: 'running',
  action: 'up',
  instance: '7',
  workdir: '/labs/demo',
  labels: { owner: 'ann', note: 'a=b', empty: '' },
});
const matches = (filter: JobFilter): boolean => jobMatcher(filter)(job);

test('no filter lets every job through', () => expect(matches({})).toBe(true));

describe('one condition', () => {
  test.each<JobFilter>([
    { states: ['running'] },
    { states: ['failed', 'running'] },
    { actions: ['up'] },
    { instance: '7' },
    { workdir: '/labs/demo' },
    { labels: [] },
    { labels: ['owner'] },
    { labels: ['owner=ann'] },
    { labels: ['note=a=b'] },
    { labels: ['empty='] },
    { labels: ['owner=ann', 'note'] },
  ])('%j is met', (filter) => expect(matches(filter)).toBe(true));

  test.each<JobFilter>([
    { states: [] },
    { states: ['failed'] },
    { actions: ['down'] },
    { instance: '8' },
    { workdir: '/labs' },
    { labels: ['nobody'] },
    { labels: ['owner=bob'] },
    { labels: ['owner='] },
    { labels: ['note=a'] },
    { labels: ['note=ab'] },
    { labels: ['owner=ann', 'nobody'] },
    { labels: [''] },
    // Not a label of the job, but of every object.
    { labels: ['constructor'] },
  ])('%j is not', (filter) => expect(matches(filter)).toBe(false));
});

const all = {
  states: ['running'],
  action: 'up',
  instance: '7',
  workdir: '/labs/demo',
  labels: ['owner'],
} as const;

test.each<JobFilter>([
  { states: ['failed'] },
  { actions: ['down'] },
  { instance: '8' },
  { workdir: '/labs' },
  { labels: ['nobody'] },
])('all must be met: %j is not', (change) => {
  expect(matches(all)).toBe(true);
  expect(matches({ ...all, ...change })).toBe(false);
});
