import { expect, test } from '@jest/globals';
import { renameSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { eventually } from '../support/eventually.ts';
import { failureOf } from '../support/failure-of.ts';
import { killAll, processesOf } from '../support/job-processes.ts';
import { noneRecovered, restarts } from '../support/restarted-rig.ts';
import { sampleJob } from '../support/sample-job.ts';

const { startRig, restart } = restarts();

test('a damaged record is set aside and the other jobs are recovered', async () => {
  const first = await startRig();
  const gate = path.join(first.root, 'gate');
  const { id } = await first.submitReady({ program: 'waits-for-file', args: [gate, '0'] });
  await first.store.create(sampleJob(), undefined);
  first.crash();
  writeFileSync(first.store.paths(sampleJob().id).record, '{"half": ');
  const { rig, recovered } = await restart(first);
  expect(recovered).toEqual({ ...noneRecovered, adopted: 1 });
  expect(rig.log.errors()).toEqual(['a job record is damaged and was set aside']);
  writeFileSync(gate, '');
  expect((await rig.ended(id)).state).toBe('success');
});

test('a job whose record is damaged while it runs is left alone, and named at every start until it is gone', async () => {
  const first = await startRig();
  const { id } = await first.submitReady({ program: 'setsid-child' });
  const pids = await first.settled(id, 'sh', 'sleep', 'sleep');
  first.crash();
  writeFileSync(first.store.paths(id).record, '{"half": ');
  const running = 'a job without a sound record still runs; wait for its end or end it by hand';
  const second = await restart(first);
  expect(second.recovered).toEqual(noneRecovered);
  expect(second.rig.log.errors()).toEqual(['a job record is damaged and was set aside', running]);
  expect(second.rig.log.entries.find(({ message }) => message === running)?.fields).toEqual({
    job: id,
    pids: expect.arrayContaining(pids),
  });
  expect(processesOf(id)).toEqual(pids);
  const third = await restart(second.rig);
  expect(third.rig.log.errors()).toEqual([running]);
  await killAll(id);
  expect((await restart(third.rig)).rig.log.errors()).toEqual([]);
});

/** A link to itself stands for a disk that fails: nothing can be read there, by root either. */
function makeUnreadable(record: string): () => void {
  renameSync(record, `${record}.aside`);
  symlinkSync(path.basename(record), record);
  return () => renameSync(`${record}.aside`, record);
}

test('a running job whose record cannot be read is not forgotten, and recovered when it can', async () => {
  const first = await startRig();
  const gate = path.join(first.root, 'gate');
  const { id } = await first.submitReady({ program: 'waits-for-file', args: [gate, '7'] });
  first.crash();
  const repair = makeUnreadable(first.store.paths(id).record);
  const { rig, recovered } = await restart(first);
  expect(recovered).toEqual(noneRecovered);
  expect((await failureOf(rig.record(id))).code).toBe('storage-fault');
  expect(rig.store.fault).toMatch(`the record of ${id} cannot be read`);
  expect(rig.log.errors()).toEqual([
    'a job record cannot be read',
    'a job without a sound record still runs; wait for its end or end it by hand',
  ]);
  repair();
  await rig.until(id, 'running');
  expect(rig.store.fault).toBeNull();
  await eventually('its directory to be taken', () =>
    rig.log.entries.some(({ message }) => message === 'a running job was found again'),
  );
  const next = await rig.submit({ program: 'exits-with', args: ['0'] });
  expect(await rig.positions([next.id])).toEqual([1]);
  writeFileSync(gate, '');
  expect(await rig.ended(id)).toMatchObject({ state: 'failed', exitCode: 7 });
  expect((await rig.ended(next.id)).state).toBe('success');
});

test('a waiting job whose record cannot be read runs when it can', async () => {
  const first = await startRig({ maxRunningJobs: 1 });
  const running = await first.submitReady({ program: 'forever', workdir: 'a' });
  const { id } = await first.submit({ program: 'exits-with', args: ['0'], workdir: 'b' });
  first.crash();
  const repair = makeUnreadable(first.store.paths(id).record);
  const { rig } = await restart(first);
  repair();
  await eventually('the record to be read', async () => (await rig.record(id)).id === id);
  expect((await rig.ended(id)).state).toBe('success');
  expect((await rig.cancel(running.id)).state).toBe('canceled');
});

test('an older record in the place of that of a finished job leads to its end again', async () => {
  const first = await startRig();
  const gate = path.join(first.root, 'gate');
  const { id } = await first.submitReady({ program: 'waits-for-file', args: [gate, '7'] });
  const older = JSON.stringify(first.recordOnDisk(id));
  writeFileSync(gate, '');
  await first.ended(id);
  const { rig } = await restart(first);
  writeFileSync(rig.store.paths(id).record, older);
  expect(await rig.record(id)).toMatchObject({ state: 'running' });
  expect(await rig.ended(id)).toMatchObject({ state: 'failed', reason: 'exited', exitCode: 7 });
});
