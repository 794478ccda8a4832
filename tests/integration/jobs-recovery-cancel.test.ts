import { describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { transition } from '../../src/jobs/model/job.ts';
import { bootId, findProcess, identify, isAlive } from '../../src/lib/processes/processes.ts';
import { eventually } from '../support/eventually.ts';
import { killAll, processesOf } from '../support/job-processes.ts';
import type { JobRig } from '../support/job-rig.ts';
import { exitFileOf, noneRecovered, restarts, rewriteRecord } from '../support/restarted-rig.ts';

const { startRig, restart } = restarts();

/** The cancel got on record, and then the service went down. */
function recordCancel(rig: JobRig, id: string, at = new Date()): void {
  rewriteRecord(rig, id, (job) =>
    transition(job, 'canceling', { stopRequest: { reason: 'canceled', by: 'alice', at: at.toISOString() } }),
  );
}

describe('a cancel that was on record', () => {
  test.each(['forever', 'ignores-sigint', 'setsid-child'])('is carried out: %s', async (program) => {
    const first = await startRig();
    const { id } = await first.submitReady({ program });
    first.crash();
    recordCancel(first, id);
    const { rig, recovered } = await restart(first);
    expect(recovered).toEqual({ ...noneRecovered, adopted: 1 });
    const job = await rig.ended(id);
    expect(processesOf(id)).toEqual([]);
    expect(job).toMatchObject({ state: 'canceled', error: 'canceled by alice', leftovers: [] });
  });

  test('is finished when all is gone already', async () => {
    const first = await startRig();
    const { id } = await first.submitReady({ program: 'forever' });
    first.crash();
    recordCancel(first, id);
    await killAll(id);
    const { rig } = await restart(first);
    expect(await rig.record(id)).toMatchObject({
      state: 'canceled',
      error: 'canceled by alice',
      leftovers: [],
    });
  });

  test('is finished when only a daemon is left of the job', async () => {
    const first = await startRig();
    const { id } = await first.submitReady({ program: 'setsid-child' });
    const shim = await first.shimOf(id);
    first.crash();
    recordCancel(first, id, new Date(Date.now() - 1_000));
    process.kill(-shim.pid, 'SIGINT');
    await exitFileOf(first, id);
    await eventually('the shim to be gone', () => !isAlive(shim));
    await first.processCount(id, 1);
    const { rig } = await restart(first);
    expect(processesOf(id)).toEqual([]);
    expect(await rig.record(id)).toMatchObject({ state: 'canceled', signal: 'SIGINT', leftovers: [] });
  });

  test('is believed though the time of the result, which is that of the last tick, is before it', async () => {
    const first = await startRig();
    const { id } = await first.submitReady({ program: 'forever' });
    const shim = await first.shimOf(id);
    first.crash();
    process.kill(-shim.pid, 'SIGINT');
    await exitFileOf(first, id);
    recordCancel(first, id, new Date(statSync(first.store.paths(id).exit).mtimeMs + 8));
    const { rig } = await restart(first);
    expect(await rig.ended(id)).toMatchObject({ state: 'canceled', signal: 'SIGINT' });
  });

  test('but came after the end changes nothing', async () => {
    const first = await startRig();
    const gate = path.join(first.root, 'gate');
    const { id } = await first.submitReady({ program: 'waits-for-file', args: [gate, '0'] });
    first.crash();
    writeFileSync(gate, '');
    await exitFileOf(first, id);
    recordCancel(first, id, new Date(Date.now() + 5_000));
    const { rig } = await restart(first);
    expect(await rig.record(id)).toMatchObject({ state: 'success', reason: 'exited', exitCode: 0 });
  });
});

describe('somebody else’s process', () => {
  /** A process that leads no session but belongs to one whose leader is gone, and has nothing to do with any job. */
  function startStranger(): { pid: number; session: number } {
    const pid = Number(
      execFileSync('setsid', ['--wait', 'sh', '-c', 'sleep 100000 >/dev/null 2>&1 & echo $!'], {
        encoding: 'utf8',
      }),
    );
    if (!(pid > 1)) throw new Error('the stranger did not start');
    return { pid, session: findProcess(pid)?.session ?? 0 };
  }

  async function endStranger(pid: number): Promise<void> {
    process.kill(pid, 'SIGKILL');
    await eventually('the stranger to be gone', () => findProcess(pid) === undefined);
  }

  test('is left alone when the machine was started anew and the number was used again', async () => {
    const first = await startRig();
    const { id } = await first.submitReady({ program: 'forever' });
    first.crash();
    await killAll(id);
    const stranger = startStranger();
    const old = { pid: stranger.session, startTicks: 1, bootId: '11111111-2222-3333-4444-555555555555' };
    writeFileSync(first.store.paths(id).process, JSON.stringify(old));
    try {
      const { rig, recovered } = await restart(first);
      expect(recovered).toEqual({ ...noneRecovered, interrupted: 1 });
      expect(await rig.record(id)).toMatchObject({ state: 'failed', reason: 'interrupted', leftovers: [] });
      expect(findProcess(stranger.pid)).toBeDefined();
    } finally {
      await endStranger(stranger.pid);
    }
  });

  test('is neither adopted nor harmed when it has the pid of the job', async () => {
    const first = await startRig();
    const { id } = await first.submitReady({ program: 'forever' });
    first.crash();
    await killAll(id);
    const stranger = startStranger();
    const reused = { ...identify(stranger.pid), startTicks: 1 };
    writeFileSync(first.store.paths(id).process, JSON.stringify(reused));
    try {
      const { recovered } = await restart(first);
      expect(recovered).toEqual({ ...noneRecovered, interrupted: 1 });
      expect(findProcess(stranger.pid)).toBeDefined();
    } finally {
      await endStranger(stranger.pid);
    }
  });

  test('a living shim of another boot is not believed', async () => {
    const first = await startRig();
    const { id } = await first.submitReady({ program: 'forever' });
    const { process: file } = first.store.paths(id);
    first.crash();
    await killAll(id);
    writeFileSync(file, JSON.stringify({ ...identify(process.pid), bootId: `not ${bootId}` }));
    expect((await restart(first)).recovered).toEqual({ ...noneRecovered, interrupted: 1 });
  });
});
