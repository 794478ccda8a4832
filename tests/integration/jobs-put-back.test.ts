/** A job of which nothing began when the service went down waits for its turn again; one that may have begun does not. */
import { expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import path from 'node:path';
import { adoptProcess, shim } from '../../src/jobs/run/process.ts';
import type { Job } from '../../src/jobs/model/job.ts';
import { prepareStart, preventStart, writeIdentity } from '../../src/jobs/store/job-files.ts';
import { bootId, findProcess, identify } from '../../src/lib/processes/processes.ts';
import { eventually } from '../support/eventually.ts';
import type { JobRig } from '../support/job-rig.ts';
import { gated, noneRecovered, restarts } from '../support/restarted-rig.ts';
import { sampleId, sampleJob } from '../support/sample-job.ts';

const { startRig, restart } = restarts();
// A while ago, so that it is told from a second start; its time is not up.
const startedAt = new Date(Date.now() - 1_000).toISOString();
const stopRequest = { reason: 'canceled', by: 'ann', at: startedAt } as const;

function startsOf(rig: JobRig): string[] {
  const file = path.join(rig.root, 'starts');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
}

/** A job that is `running` on record, and notes its start. */
async function begun(rig: JobRig, changes: Partial<Job> = {}): Promise<Job> {
  const workdir = path.join(rig.root, 'lab');
  mkdirSync(workdir, { recursive: true });
  const command = ['/bin/sh', '-c', 'echo "$LAB_JOB_ID" >>"$0"', path.join(rig.root, 'starts')];
  const job = sampleJob({ state: 'running', startedAt, workdir, command, ...changes });
  await rig.store.create(job, undefined);
  return job;
}

/** The shim of a job, as `startProcess` starts it, that is stopped before its first step. */
async function stoppedShim(rig: JobRig, { id, command }: Job, ticket: string) {
  const script = `kill -STOP $$\n${shim}`;
  const child = spawn(
    '/bin/sh',
    ['-c', script, 'lab-job', rig.store.paths(id).directory, ticket, ...command],
    {
      env: { ...process.env, LAB_JOB_ID: id },
      detached: true,
      stdio: 'ignore',
    },
  );
  const pid = child.pid ?? 0;
  const code = new Promise((resolve) => void child.once('exit', resolve));
  await eventually('the shim to stop', () => findProcess(pid)?.state === 'T');
  return { pid, code };
}

test.each([
  ['no file of its start is there', async () => undefined],
  [
    'its start is prepared',
    async (rig: JobRig, id: string) => void (await prepareStart(rig.store.paths(id))),
  ],
  [
    'its shim is gone before it did anything',
    async (rig: JobRig, id: string) => {
      await prepareStart(rig.store.paths(id));
      await writeIdentity(rig.store.paths(id), { ...identify(process.pid), startTicks: 1 });
    },
  ],
])('%s: it runs, once', async (_name, leave) => {
  const first = await startRig();
  const { id } = await begun(first);
  await leave(first, id);
  const { rig, recovered } = await restart(first);
  expect(recovered).toEqual({ ...noneRecovered, queued: 1 });
  const job = await rig.ended(id);
  expect(job).toMatchObject({ state: 'success', reason: 'exited', exitCode: 0 });
  expect(job.startedAt).not.toBe(startedAt);
  expect(rig.history.get(id)).toEqual(['queued', 'running', 'success']);
  expect(startsOf(rig)).toEqual([id]);
  expect(readdirSync(rig.store.paths(id).directory).filter((name) => name.startsWith('ticket-'))).toEqual([]);
});

test('it is on record as one that waits, before anything that came later', async () => {
  const first = await startRig({ maxRunningJobs: 2 });
  const blockers = ['a', 'b'].map((name) => gated(first, name, name));
  for (const { submission } of blockers) await first.submitReady(submission);
  const later = await first.submit({ program: 'exits-with', args: ['0'] });
  const older = [await begun(first), await begun(first, { id: sampleId(2) })].map(({ id }) => id);
  const { rig, recovered } = await restart(first, { maxRunningJobs: 2 });
  expect(recovered).toEqual({ ...noneRecovered, adopted: 2, queued: 3 });
  expect(await rig.positions([...older, later.id])).toEqual([1, 2, 3]);
  expect(rig.recordOnDisk(older[0] ?? '')).toMatchObject({ state: 'queued', startedAt: null });
  for (const { open } of blockers) open();
  for (const id of [...older, later.id]) expect((await rig.ended(id)).state).toBe('success');
  expect(startsOf(rig)).toEqual(older);
});

test('a cancel that came before wins', async () => {
  const first = await startRig();
  const { id } = await begun(first, { state: 'canceling', stopRequest });
  await prepareStart(first.store.paths(id));
  const { rig, recovered } = await restart(first);
  expect(recovered).toEqual({ ...noneRecovered, finished: 1 });
  expect(await rig.record(id)).toMatchObject({
    state: 'canceled',
    error: 'canceled by ann before it started',
  });
  expect(startsOf(rig)).toEqual([]);
});

test.each([
  [
    'its ticket is used up',
    (ticket: string) => renameSync(ticket, path.join(path.dirname(ticket), 'exit.json.tmp')),
  ],
  [
    'the machine was started anew',
    (ticket: string) => renameSync(ticket, ticket.replace(bootId, '11111111-2222-3333-4444-555555555555')),
  ],
])('%s: nobody knows, so it is interrupted', async (_name, change) => {
  const first = await startRig();
  const { id } = await begun(first);
  change(await prepareStart(first.store.paths(id)));
  const { rig, recovered } = await restart(first);
  expect(recovered).toEqual({ ...noneRecovered, interrupted: 1 });
  expect(await rig.record(id)).toMatchObject({ state: 'failed', reason: 'interrupted' });
  expect(startsOf(rig)).toEqual([]);
});

test('a shim that is about to start the lab CLI is adopted', async () => {
  const first = await startRig();
  const job = await begun(first);
  const { pid } = await stoppedShim(first, job, await prepareStart(first.store.paths(job.id)));
  const { rig, recovered } = await restart(first);
  expect(recovered).toEqual({ ...noneRecovered, adopted: 1 });
  process.kill(pid, 'SIGCONT');
  expect(await rig.ended(job.id)).toMatchObject({ state: 'success', startedAt });
  expect(startsOf(rig)).toEqual([job.id]);
});

test('a shim that ends before it starts the lab CLI leaves a job that waits again', async () => {
  const first = await startRig();
  const job = await begun(first);
  const { pid } = await stoppedShim(first, job, await prepareStart(first.store.paths(job.id)));
  const { rig } = await restart(first);
  process.kill(pid, 'SIGKILL');
  expect(await rig.ended(job.id)).toMatchObject({ state: 'success' });
  expect(startsOf(rig)).toEqual([job.id]);
});

test('a shim without its ticket starts nothing', async () => {
  const rig = await startRig();
  const job = await begun(rig);
  const paths = rig.store.paths(job.id);
  const { pid, code } = await stoppedShim(rig, job, await prepareStart(paths));
  const adopted = adoptProcess(identify(pid), paths);
  expect(await preventStart(paths)).toBe('prevented');
  process.kill(pid, 'SIGCONT');
  expect(await code).toBe(125);
  expect(await adopted.ended).toEqual({ kind: 'lost' });
  expect(startsOf(rig)).toEqual([]);
});
