import { describe, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { findProcess } from '../../src/lib/processes/processes.ts';
import { eventually } from '../support/eventually.ts';
import { processesOf } from '../support/job-processes.ts';
import { jobRigs, type JobRig } from '../support/job-rig.ts';
import { requirement } from '../support/requirements.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const base = temporaryDirectory();
const makeRig = jobRigs();
const bash = requirement('bash');
const longMs = 30_000;

async function startRig(options: Partial<Parameters<typeof makeRig>[0]> = {}): Promise<JobRig> {
  const rig = makeRig({ root: mkdtempSync(path.join(base, 'machine-')), ...options });
  await rig.start();
  return rig;
}

describe('a running job', () => {
  test.each([
    { program: 'forever', count: 2, signal: 'SIGINT' },
    { program: 'ignores-sigint', count: 2, signal: 'SIGTERM' },
    { program: 'ignores-int-and-term', count: 2, signal: 'SIGKILL' },
    { program: 'reparented-grandchild', count: 3, signal: 'SIGINT' },
    { program: 'setsid-child', count: 3, signal: 'SIGINT' },
    { program: 'noisy', count: 2, signal: 'SIGINT' },
  ])('$program is canceled and none of its $count processes is left', async ({ program, count, signal }) => {
    const rig = await startRig();
    const { id } = await rig.submitReady({ program });
    await rig.processCount(id, count);
    const job = await rig.cancel(id, { by: 'alice' });
    // At once: `canceled` says that nothing is left.
    expect(processesOf(id)).toEqual([]);
    expect(job).toMatchObject({
      state: 'canceled',
      reason: 'canceled',
      exitCode: null,
      signal,
      error: 'canceled by alice',
      leftovers: [],
      stopRequest: { reason: 'canceled', by: 'alice' },
      logSize: rig.logBytes(id).length,
    });
    expect(rig.history.get(id)).toEqual(['queued', 'running', 'canceling', 'canceled']);
    expect(rig.recordOnDisk(id)).toEqual(job);
    // Nothing of the shell's own ("Killed") stands between the words of the program.
    expect(rig.logText(id)).toMatch(/^ready\n(all work.*\n|all work.*$)*$/);
  });

  test('keeps the exit code of a program that ends by itself on SIGINT', async () => {
    const rig = await startRig();
    const script = 'trap "echo interrupted; exit 9" INT; echo ready; while :; do sleep 0.05; done';
    const { id } = await rig.submitReady({ program: '/bin/sh', args: ['-c', script] });
    expect(await rig.cancel(id)).toMatchObject({
      state: 'canceled',
      exitCode: 9,
      signal: null,
      error: 'canceled',
    });
    expect(rig.logText(id)).toBe('ready\ninterrupted\n');
  });

  test('a daemon that outlives its polite parent is ended too', async () => {
    const rig = await startRig();
    const script = `setsid --fork sh -c 'trap "" INT TERM; echo ready; exec sleep 100000'; exec sleep 100000`;
    const { id } = await rig.submitReady({ program: '/bin/sh', args: ['-c', script] });
    expect(await rig.cancel(id)).toMatchObject({ state: 'canceled', signal: 'SIGINT', leftovers: [] });
    expect(processesOf(id)).toEqual([]);
  });

  (bash.missing === undefined ? test : test.skip)(
    `what hides its environment is found by its session${bash.missing ? ` (${bash.missing})` : ''}`,
    async () => {
      const rig = await startRig();
      // Job control of bash: a group of its own for a process that has no environment and whose parent is gone.
      const script = `set -m; (env -i sh -c 'echo $$; echo ready; exec sleep 100000' &); exec sleep 100000`;
      const { id } = await rig.submitReady({ program: bash.file, args: ['-c', script] });
      const hidden = Number(rig.logText(id).split('\n')[0]);
      const shim = await rig.shimOf(id);
      expect(findProcess(hidden)?.session).toBe(shim.pid);
      expect(findProcess(hidden)?.processGroup).not.toBe(shim.pid);
      expect(processesOf(id)).not.toContain(hidden);
      try {
        expect(await rig.cancel(id)).toMatchObject({ state: 'canceled', leftovers: [] });
        expect(findProcess(hidden)).toBeUndefined();
      } finally {
        if (findProcess(hidden)) process.kill(hidden, 'SIGKILL');
      }
    },
  );

  test('the reply does not wait longer than asked; the intent is on disk by then', async () => {
    const rig = await startRig({ cancelGraceMs: longMs });
    const { id } = await rig.submitReady({ program: 'ignores-int-and-term' });
    expect(await rig.cancel(id, { by: 'alice', waitMs: 0 })).toMatchObject({ state: 'canceling' });
    expect(rig.recordOnDisk(id)).toMatchObject({ state: 'canceling', stopRequest: { by: 'alice' } });
    // A second one escalates nothing; force skips the long grace.
    expect(await rig.cancel(id, { by: 'bob', waitMs: 0 })).toMatchObject({ state: 'canceling' });
    await rig.processCount(id, 2);
    const job = await rig.cancel(id, { by: 'carol', force: true });
    expect(job).toMatchObject({ state: 'canceled', signal: 'SIGKILL', error: 'canceled by alice' });
    expect(processesOf(id)).toEqual([]);
  });

  test('force from the beginning', async () => {
    const rig = await startRig({ cancelGraceMs: longMs });
    const { id } = await rig.submitReady({ program: 'ignores-int-and-term' });
    expect(await rig.cancel(id, { force: true })).toMatchObject({ state: 'canceled', signal: 'SIGKILL' });
  });

  test('canceled many times at once: one end, and the first one gets the credit', async () => {
    const rig = await startRig();
    const { id } = await rig.submitReady({ program: 'ignores-sigint' });
    const names = Array.from({ length: 10 }, (_, index) => `user-${index}`);
    const jobs = await Promise.all(names.map(async (by) => rig.cancel(id, { by })));
    for (const job of jobs) expect(job).toMatchObject({ state: 'canceled', error: 'canceled by user-0' });
    expect(rig.history.get(id)).toEqual(['queued', 'running', 'canceling', 'canceled']);
  });

  test('the next one in the directory starts only after it is gone', async () => {
    const rig = await startRig();
    const first = await rig.submitReady({ program: 'ignores-int-and-term' });
    const second = await rig.submit({ program: 'exits-with', args: ['0'] });
    let leftAtStart: unknown;
    rig.store.on('change', (job) => {
      if (job.id === second.id && job.state === 'running') leftAtStart = rig.store.summary(first.id)?.state;
    });
    await rig.cancel(first.id);
    expect((await rig.ended(second.id)).state).toBe('success');
    expect(leftAtStart).toBe('canceled');
  });

  test('a disk that refuses does not keep it alive; the record follows later', async () => {
    const rig = await startRig();
    const { id } = await rig.submitReady({ program: 'forever' });
    const { directory } = rig.store.paths(id);
    renameSync(directory, `${directory}.aside`);
    writeFileSync(directory, 'the disk refuses');
    expect(await rig.cancel(id)).toMatchObject({ state: 'canceled' });
    expect(processesOf(id)).toEqual([]);
    expect(rig.store.fault).not.toBeNull();
    rmSync(directory);
    renameSync(`${directory}.aside`, directory);
    await eventually('the record to be saved', () => rig.store.fault === null);
    expect(rig.recordOnDisk(id)).toMatchObject({ state: 'canceled' });
  });
});

test('a result that cannot be read keeps no process alive; the end is told once it can', async () => {
  const rig = await startRig();
  const { id } = await rig.submitReady({ program: 'setsid-child' });
  const { exit } = rig.store.paths(id);
  mkdirSync(exit);
  const canceling = rig.cancel(id);
  await eventually('the processes to be gone', () => processesOf(id).length === 0);
  rmSync(exit, { recursive: true });
  expect(await canceling).toMatchObject({ state: 'canceled', reason: 'canceled', leftovers: [] });
});
