import { describe, expect, test } from '@jest/globals';
import type { Job, JobPage } from '../../../src/client/api-types.ts';
import { filterOf, queryOf } from '../../../web/dashboard/src/pages/jobs/job-filter.ts';
import {
  withNewest,
  withNews,
  withOlder,
  type JobList,
} from '../../../web/dashboard/src/pages/jobs/job-list.ts';

const jobOf = (id: string, more: Partial<Job> = {}): Job => ({ id, state: 'running', ...more }) as Job;
const listOf = (ids: string, nextCursor: string | null): JobPage => ({
  jobs: ids.split('').map((id) => jobOf(id)),
  nextCursor,
});
const idsOf = ({ jobs }: JobList): string => jobs.map(({ id }) => id).join('');

describe('the newest page', () => {
  test.each([
    ['is all there is at first', undefined, listOf('dc', 'x'), 'dc', 'x'],
    ['comes before the older ones', listOf('dcba', null), listOf('fed', 'y'), 'fedcba', null],
    ['takes away what was removed', listOf('dcba', 'z'), listOf('db', 'y'), 'dba', 'z'],
    ['stands alone when there is a gap', listOf('cba', null), listOf('hg', 'y'), 'hg', 'y'],
    ['stands alone when it is the only one', listOf('cba', null), listOf('c', null), 'c', null],
    ['may be empty', listOf('cba', null), listOf('', null), '', null],
    ['leads on where no older one is known', listOf('dc', 'x'), listOf('edc', 'y'), 'edc', 'y'],
  ])('%s', (...[, known, page, ids, cursor]) => {
    const list = withNewest(known, page);
    expect([idsOf(list), list.nextCursor]).toEqual([ids, cursor]);
  });
});

test('older jobs follow, and none is listed twice', () => {
  const list = withOlder(listOf('dc', 'x'), listOf('cba', null), 'x');
  expect([idsOf(list), list.nextCursor]).toEqual(['dcba', null]);
});

test('older jobs for another end of the list are ignored: they would leave a gap', () => {
  const known = listOf('hg', 'y');
  expect(withOlder(known, listOf('cba', null), 'x')).toBe(known);
});

describe('an event about a job', () => {
  const known = listOf('dc', null);
  const event = (id: string, state: Job['state'], change = 'state') => ({
    change,
    job: { id, action: 'up' as const, state, createdAt: '', finishedAt: null, error: undefined },
  });

  test('changes its row, except the fields that the event leaves out', () => {
    const before = { jobs: [jobOf('d', { error: 'kept' })], nextCursor: null };
    const { jobs } = withNews(before, event('d', 'failed') as never, undefined);
    expect(jobs).toMatchObject([{ id: 'd', state: 'failed', error: 'kept' }]);
  });

  test('may remove it from the list', () => {
    expect(idsOf(withNews(known, event('d', 'success') as never, ['running']))).toBe('c');
    expect(idsOf(withNews(known, event('c', 'success', 'removed') as never, undefined))).toBe('d');
  });

  test('changes nothing when the list lacks the job', () => {
    expect(withNews(known, event('z', 'success') as never, undefined)).toBe(known);
  });
});

describe('the filter in the address', () => {
  test.each([
    '',
    'state=running%2Cfailed&action=up',
    'instance=7&requestedBy=ann&label=a&label=b%3Dc',
    'workdir=%2Fx&workspace=w&since=7d&until=2026-01-31T12%3A00%3A00Z',
  ])('%j is read and written', (text) => {
    expect(queryOf(filterOf(new URLSearchParams(text))).toString()).toBe(text);
  });

  test('invalid values are ignored', () => {
    const query = new URLSearchParams('state=running&state=odd,failed&action=&label==x&other=1');
    expect(filterOf(query)).toEqual({ state: ['running', 'failed'] });
  });
});
