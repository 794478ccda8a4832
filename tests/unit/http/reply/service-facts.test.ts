import { expect, test } from '@jest/globals';
import { serviceFactsOf } from '../../../../src/http/reply/service-facts.ts';

const at = (minute: number): string => new Date(Date.UTC(2026, 10, 21, 12, minute)).toISOString();
const lab = {
  id: 'default',
  name: 'demo',
  cli: 'netlab',
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

const labs = { status: { startOf: () => ({ mark: 'first', atMs: Date.parse(at(4)) }) } };
const owners = { ownerOf: (): string | null => null };

test('the owner is asked for by the directory and the time of the start', () => {
  const asked: unknown[] = [];
  const jobs = { summaries: () => [] };
  const ownerOf = (started: unknown) => (asked.push(started), 'alice');
  const facts = serviceFactsOf(lab, { jobs, labs, workspaces, leases, owners: { ownerOf } });
  expect(facts.owner).toBe('alice');
  expect(asked).toEqual([{ directory: '/labs/demo', startedAtMs: Date.parse(at(4)) }]);
});

test('jobs are those of the instance in its directory', () => {
  const asked: unknown[] = [];
  const jobs = { summaries: (...words: unknown[]) => (asked.push(words), []) };
  serviceFactsOf(lab, { jobs, labs, workspaces, leases, owners });
  serviceFactsOf({ ...lab, workdir: null }, { jobs, labs, workspaces, leases, owners });
  expect(asked).toEqual([
    [{ instance: 'default', workdir: '/labs/demo' }, 10],
    [{ instance: 'default' }, 10],
  ]);
});

test('the workspace and the end of the lease are asked for by directory and entry', () => {
  const asked: unknown[] = [];
  const facts = serviceFactsOf(lab, {
    jobs: { summaries: () => [] },
    labs,
    owners,
    workspaces: { nameOf: (directory) => (asked.push(directory), 'course') },
    leases: { expiresAt: (known) => (asked.push(known), at(9)) },
  });
  expect(facts).toMatchObject({ workspace: 'course', expiresAt: at(9) });
  expect(asked).toEqual(['/labs/demo', { cli: 'netlab', directory: '/labs/demo', entry: { run: 'first' } }]);
});
