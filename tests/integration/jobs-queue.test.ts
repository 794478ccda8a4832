import { describe, expect, test } from '@jest/globals';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { failureOf } from '../support/failure-of.ts';
import { gated, restarts } from '../support/restarted-rig.ts';

const { startRig } = restarts();

describe('order', () => {
  test('one directory: first in, first out, one at a time', async () => {
    const rig = await startRig();
    const gates = ['1', '2', '3'].map((name) => gated(rig, name, 'lab'));
    const ids: string[] = [];
    for (const { submission } of gates) ids.push((await rig.submit(submission)).id);
    expect(ids).toEqual(ids.toSorted());
    for (const [turn, gate] of gates.entries()) {
      await rig.ready(ids[turn] ?? '');
      const states = await Promise.all(ids.map(async (id) => (await rig.record(id)).state));
      expect(states).toEqual(
        [0, 1, 2].map((index) => (index < turn ? 'success' : index === turn ? 'running' : 'queued')),
      );
      expect(await rig.positions(ids)).toEqual(
        [0, 1, 2].map((index) => (index <= turn ? null : index - turn)),
      );
      gate.open();
      await rig.ended(ids[turn] ?? '');
    }
  });

  test('status does not wait for its directory', async () => {
    const rig = await startRig();
    const up = gated(rig, 'up', 'lab');
    const running = await rig.submitReady(up.submission);
    const status = await rig.submit({ program: 'exits-with', args: ['0'], body: { action: 'status' } });
    expect((await rig.ended(status.id)).state).toBe('success');
    expect((await rig.record(running.id)).state).toBe('running');
    up.open();
    await rig.ended(running.id);
  });

  test('after the end of one, the directory is free: nothing queues up behind it', async () => {
    const rig = await startRig();
    for (const code of ['0', '1']) {
      await rig.ended((await rig.submit({ program: 'exits-with', args: [code] })).id);
    }
    const last = await rig.submit({ program: 'exits-with', args: ['0'], body: { onConflict: 'reject' } });
    expect((await rig.ended(last.id)).state).toBe('success');
  });
});

describe('refusals', () => {
  test('a jobs directory that cannot be written; afterwards all is well', async () => {
    const rig = await startRig();
    renameSync(rig.store.directory, `${rig.store.directory}.aside`);
    writeFileSync(rig.store.directory, 'the disk refuses');
    expect((await failureOf(rig.submit({ program: 'forever' }))).code).toBe('storage-fault');
    rmSync(rig.store.directory);
    renameSync(`${rig.store.directory}.aside`, rig.store.directory);
    expect((await rig.ended((await rig.submit({ program: '/bin/true' })).id)).state).toBe('success');
  });

  test('a service that is being stopped: nothing is taken, what waits goes on waiting', async () => {
    const rig = await startRig();
    const gate = gated(rig, '1', 'lab');
    const first = await rig.submitReady(gate.submission);
    const second = await rig.submit(gate.submission);
    await rig.lifecycle.close();
    expect((await failureOf(rig.submit(gate.submission))).code).toBe('shutting-down');
    gate.open();
    expect((await rig.ended(first.id)).state).toBe('success');
    expect((await rig.record(second.id)).state).toBe('queued');
  });
});

describe('a queued job that is canceled', () => {
  test('in the very moment its predecessor ends does not run, and gives the directory back', async () => {
    const rig = await startRig();
    const first = gated(rig, 'first', 'lab');
    const { id } = await rig.submitReady(first.submission);
    const second = await rig.submit({ program: 'forever' });
    const third = await rig.submit({ program: 'exits-with', args: ['0'] });
    const canceled = new Promise<string>((resolve) => {
      rig.store.on('change', (job) => {
        if (job.id === id && job.state === 'success')
          void rig.cancel(second.id).then(({ state }) => resolve(state));
      });
    });
    first.open();
    expect(await canceled).toBe('canceled');
    expect((await rig.ended(third.id)).state).toBe('success');
    expect((await rig.ended((await rig.submit({ program: 'exits-with', args: ['0'] })).id)).state).toBe(
      'success',
    );
  });

  test('on a disk that refuses stays queued, and may be canceled later', async () => {
    const rig = await startRig();
    const blocker = gated(rig, 'first', 'lab');
    await rig.submitReady(blocker.submission);
    const { id } = await rig.submit({ program: 'forever' });
    const { directory } = rig.store.paths(id);
    renameSync(directory, `${directory}.aside`);
    writeFileSync(directory, 'the disk refuses');
    expect(await failureOf(rig.cancel(id))).toMatchObject({ code: 'storage-fault', retryAfterSeconds: 10 });
    expect(await rig.record(id)).toMatchObject({ state: 'queued', stopRequest: null });
    expect(await rig.positions([id])).toEqual([1]);
    rmSync(directory);
    renameSync(`${directory}.aside`, directory);
    expect(rig.recordOnDisk(id).state).toBe('queued');
    expect(await rig.cancel(id)).toMatchObject({ state: 'canceled', startedAt: null });
    blocker.open();
  });
});

test('waiting in the queue does not count towards the time limit', async () => {
  const rig = await startRig();
  const [blocker, job] = [gated(rig, 'first', 'lab'), gated(rig, 'second', 'lab')];
  await rig.submitReady(blocker.submission);
  const { id } = await rig.submit({ ...job.submission, body: { timeoutSeconds: 30 } });
  // As if it had waited for an hour.
  const createdAt = new Date(Date.now() - 3_600_000).toISOString();
  await rig.store.update(id, (queued) => ({ ...queued, createdAt }));
  blocker.open();
  await rig.ready(id);
  job.open();
  expect(await rig.ended(id)).toMatchObject({ state: 'success', createdAt });
});
