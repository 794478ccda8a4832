/** The rows of the list of labs, and their filter. */
import { describe, expect, test } from '@jest/globals';
import type { Job, Lab } from '../../../src/client/api-types.ts';
import { laterEnd, quickEnds, wrongEnd } from '../../../web/dashboard/src/parts/lab-actions/lab-words.ts';
import { labText, providerText } from '../../../web/dashboard/src/parts/lab-title.ts';
import { matches, rowsOf } from '../../../web/dashboard/src/pages/labs/lab-rows.ts';

const lab = (id: string, more: Partial<Lab> = {}): Lab => ({
  id,
  cli: 'netlab',
  host: null,
  name: null,
  state: 'started',
  workdir: `/labs/${id}`,
  workspace: null,
  nodes: [],
  ready: null,
  problem: null,
  provider: null,
  runtime: null,
  startedAt: null,
  expiresAt: null,
  owner: null,
  shares: [],
  source: null,
  faults: [],
  jobs: [],
  may: [],
  ...more,
});

const job = (id: string, instance: string | null, more: Partial<Job> = {}): Job =>
  ({
    id,
    instance,
    workdir: `/labs/${instance}`,
    workspace: null,
    labels: {},
    requestedBy: null,
    ...more,
  }) as Job;

test('starting labs come first, then the others by number, and none is listed twice', () => {
  const rows = rowsOf([lab('10'), lab('9')], [job('job-2', '11'), job('job-1', '9')], []);
  expect(rows.map(({ key }) => key)).toEqual(['job-2', 'lab 9', 'lab 10']);
});

test('a lab that starts in another directory is another lab, in spite of its name', () => {
  const rows = rowsOf([lab('default')], [job('job-1', 'default', { workdir: '/labs/other' })], []);
  expect(rows.map(({ key }) => key)).toEqual(['job-1', 'lab default']);
});

test('the last job is the newest of the lab, by name and directory, or as the service lists it', () => {
  const recent = [job('job-3', '2'), job('job-2', '1'), job('job-1', '1')];
  const [first, second, third] = rowsOf([lab('1'), lab('2'), lab('3', { jobs: ['job-1'] })], [], recent);
  expect(first).toMatchObject({ lastJob: { id: 'job-2' } });
  expect(second).toMatchObject({ lastJob: { id: 'job-3' } });
  expect(third).toMatchObject({ lastJob: { id: 'job-1' } });
});

test('every word, the state and the owner must match', () => {
  const [row] = rowsOf([lab('7', { owner: 'ops', workspace: 'tuesday', provider: 'netns' })], [], []);
  const find = (text: string, state?: Lab['state'], owner?: string): boolean =>
    row !== undefined && matches(row, { text, state, owner });
  expect(find('')).toBe(true);
  expect(find('TUES netns')).toBe(true);
  expect(find('tuesday clab')).toBe(false);
  expect(find('', 'missing')).toBe(false);
  expect(find('', 'started', 'ops')).toBe(true);
  expect(find('', undefined, 'vera')).toBe(false);
});

test('a lab is named after its topology, workspace or directory, with its ID', () => {
  const called = (name: string | null, workspace: string | null, workdir: string | null): string =>
    labText({ id: '7', name, workspace, workdir });
  expect(called('bgp', 'course', '/labs/x')).toBe('bgp (7)');
  expect(called('ml-7', 'course', '/labs/x')).toBe('course (7)');
  expect(called(null, null, '/labs/x')).toBe('x (7)');
  expect(called('ml-7', null, null)).toBe('7');
});

test('more time counts from the end of the lease, or from now when that has passed', () => {
  const now = Date.parse('2026-01-15T12:00:00Z');
  expect(laterEnd('2026-01-15T13:00:00Z', 1, now).toISOString()).toBe('2026-01-15T14:00:00.000Z');
  expect(laterEnd('2026-01-15T11:00:00Z', 1, now).toISOString()).toBe('2026-01-15T13:00:00.000Z');
  expect(laterEnd(null, 4, now).toISOString()).toBe('2026-01-15T16:00:00.000Z');
});

describe('where labs live for an hour at most', () => {
  const hourMs = 3_600_000;
  const now = Date.parse('2026-01-15T12:00:00Z');
  const at = (ms: number): string => new Date(now + ms).toISOString();
  const offered = (expiresAt: string | null, maxMs: number) =>
    quickEnds(expiresAt, now, maxMs).map(({ change }) => change);

  test('one click sets only ends that the service takes', () => {
    expect(offered(at(hourMs / 2), hourMs)).toEqual([{ ttlSeconds: 3600 }]);
    expect(offered(null, hourMs)).toEqual([{ ttlSeconds: 3600 }]);
    expect(offered(at(0), 2 * hourMs)).toEqual([{ expiresAt: at(hourMs) }, { ttlSeconds: 7200 }]);
    expect(offered(at(hourMs), Infinity)).toEqual([
      { expiresAt: at(2 * hourMs) },
      { expiresAt: at(5 * hourMs) },
    ]);
  });

  test('a later end is refused with the latest one', () => {
    const wrong = (ms: number, maxMs = hourMs) => wrongEnd(new Date(now + ms), now, maxMs);
    expect(wrong(hourMs)).toBeUndefined();
    expect(wrong(hourMs + 1)).toMatch(/^on this server, labs live for 1 h at most: until /);
    expect(wrong(hourMs + 1, Infinity)).toBeUndefined();
    expect(wrong(0)).toContain('has passed');
    expect(wrong(Number.NaN)).toBe('enter a date and a time');
  });
});

test('the page names the provider, and namespaces as its runtime', () => {
  const of = (more: Partial<Lab>): string | null => providerText(lab('1', more));
  expect(of({ provider: 'clab', runtime: 'namespaces' })).toBe('clab in namespaces');
  expect(of({ provider: 'clab', runtime: 'containers' })).toBe('clab');
  expect(of({ provider: null })).toBeNull();
});
