import { expect, test } from '@jest/globals';
import { serviceFactsOf } from '../../../../src/http/reply/service-facts.ts';
import type { JobSummaryView } from '../../../../src/jobs/job-service.ts';

const at = (minute: number): string => new Date(Date.UTC(2026, 10, 21, 12, minute)).toISOString();
const lab = {
  id: 'default',
  name: 'demo',
  state: 'started',
  workdir: '/labs/demo',
  nodes: [],
  problem: null,
  provider: 'clab',
  startedAtMs: Date.parse(at(5)),
  entry: { run: 'first' },
} as const;
const workspaces = { nameOf: (): string | null => null };
const leases = { expiresAt: (): string | null => null };

function job(id: string, changes: Partial<JobSummaryView>): JobSummaryView {
  const times = { createdAt: at(4), finishedAt: at(6) };
  return { id, action: 'up', state: 'success', requestedBy: 'alice', ...times, ...changes };
}

function ownerOf(jobs: readonly JobSummaryView[], changes: Partial<typeof lab> | { startedAtMs: null } = {}) {
  const facts = serviceFactsOf(
    { ...lab, ...changes },
    {
      jobs: { summaries: () => jobs },
      workspaces,
      leases,
    },
  );
  expect(facts.jobs).toEqual(jobs.map(({ id }) => id));
  return facts.owner;
}

test('the owner is who asked for the job in which the lab was started', () => {
  const before = job('a', { requestedBy: 'bob', createdAt: at(1), finishedAt: at(2) });
  expect(ownerOf([job('b', {}), before])).toBe('alice');
  expect(ownerOf([job('c', { action: 'collect', requestedBy: 'carol' }), job('b', {}), before])).toBe(
    'alice',
  );
});

test('a lab that was started from a shell after its last job has none', () => {
  expect(ownerOf([job('a', { createdAt: at(1), finishedAt: at(2) })])).toBeNull();
  expect(ownerOf([])).toBeNull();
});

test('of a lab that is being started it is who asked for that, of a job that waits nobody', () => {
  const running = job('a', { state: 'running', finishedAt: null });
  expect(ownerOf([running], { startedAtMs: null })).toBe('alice');
  expect(ownerOf([{ ...running, state: 'queued' }], { startedAtMs: null })).toBeNull();
  expect(ownerOf([job('a', { state: 'failed' })], { startedAtMs: null })).toBeNull();
});

test('jobs are those of the instance in its directory', () => {
  const asked: unknown[] = [];
  const jobs = { summaries: (...words: unknown[]) => (asked.push(words), []) };
  serviceFactsOf(lab, { jobs, workspaces, leases });
  serviceFactsOf({ ...lab, workdir: null }, { jobs, workspaces, leases });
  expect(asked).toEqual([
    [{ instance: 'default', workdir: '/labs/demo' }, 10],
    [{ instance: 'default' }, 10],
  ]);
});

test('the workspace and the end of the lease are asked for by directory and entry', () => {
  const asked: unknown[] = [];
  const facts = serviceFactsOf(lab, {
    jobs: { summaries: () => [] },
    workspaces: { nameOf: (directory) => (asked.push(directory), 'course') },
    leases: { expiresAt: (known) => (asked.push(known), at(9)) },
  });
  expect(facts).toMatchObject({ workspace: 'course', expiresAt: at(9) });
  expect(asked).toEqual(['/labs/demo', { directory: '/labs/demo', entry: { run: 'first' } }]);
});
