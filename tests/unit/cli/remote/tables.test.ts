import { expect, test } from '@jest/globals';
import { jobsTable, labsTable } from '../../../../src/cli/remote/tables.ts';
import type { Job, Lab } from '../../../../src/client/api-types.ts';

const lab = {
  cli: 'netlab',
  host: null,
  state: 'started',
  nodes: [],
  owner: null,
  expiresAt: null,
  workspace: 'w',
};

const now = Date.parse('2026-01-01T12:00:00Z');

test('labs are listed with their runtime where one of them runs in namespaces', async () => {
  const [one, two] = [
    { ...lab, id: 'one', runtime: 'containers' },
    { ...lab, id: 'two', runtime: 'namespaces' },
  ] as unknown as [Lab, Lab];
  expect(await labsTable([one], now)).toMatch(/^LAB +NAME +STATE +NODES/);
  expect(await labsTable([one, two], now)).toMatch(
    /^LAB +NAME +RUNTIME +STATE.*\none +containers +started.*\ntwo +namespaces +started/,
  );
});

test('a lab that is not ready has the number of nodes that are', async () => {
  const nodes = [{ ready: true }, { ready: false }, { ready: null }];
  const labs = [
    { ...lab, id: 'one', nodes, ready: false },
    { ...lab, id: 'two', nodes, ready: null },
  ] as unknown as Lab[];
  expect(await labsTable(labs, now)).toMatch(/one +started +3, 1 ready +w\ntwo +started +3 +w/);
});

test('a lab has its name, its owner and the time until its lease ends', async () => {
  const owned = { ...lab, id: '7', name: 'ml-7', owner: 'ops', expiresAt: '2026-01-01T14:05:00Z' };
  expect(await labsTable([owned as unknown as Lab], now)).toMatch(/7 +ml-7 +started +0 +ops +in 2h 5m +w/);
});

test('a job that waits is listed with the job before it, else with its place in the queue', async () => {
  const job = { host: null, action: 'up', state: 'queued', requestedBy: null, instance: 'default' };
  const times = { createdAt: '2026-01-01T11:59:00Z', startedAt: null, finishedAt: null };
  const rest = { error: null, progress: null, queuePosition: 2 };
  const jobs = [
    { ...job, ...times, ...rest, id: 'job-3', waitsFor: { reason: 'workdir', job: 'job-1' } },
    { ...job, ...times, ...rest, id: 'job-2', waitsFor: { reason: 'capacity', job: null } },
  ] as unknown as Job[];
  expect(await jobsTable(jobs, now)).toMatch(
    /\njob-3 .* default +waits for job-1\njob-2 .* default +number 2 in the queue\n/,
  );
});

test('jobs are listed with their users where users log in', async () => {
  const job = { id: 'job-1', host: null, action: 'up', state: 'success', instance: 'default' };
  const times = { createdAt: '2026-01-01T11:59:00Z', startedAt: null, finishedAt: null };
  const rest = { error: null, progress: null, queuePosition: null };
  const table = async (requestedBy: string | null): Promise<string> =>
    jobsTable([{ ...job, ...times, ...rest, requestedBy } as unknown as Job], now);
  expect(await table(null)).toMatch(/^ID +ACTION +STATE +CREATED/);
  expect(await table('ops')).toMatch(
    /^ID +ACTION +STATE +USER +CREATED.*\njob-1 +up +success +ops +1m 0s ago/,
  );
});
