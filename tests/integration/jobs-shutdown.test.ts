import { expect, test } from '@jest/globals';
import { readIdentity } from '../../src/jobs/store/job-files.ts';
import { restarts } from '../support/restarted-rig.ts';

const { startRig, makeRig } = restarts();

test('a close waits for the starts under way: what is running on record has a process that a restart finds', async () => {
  const rig = await startRig();
  const submissions = ['a', 'b', 'c'].map(async (workdir) => rig.submit({ program: 'forever', workdir }));
  const ids = (await Promise.all(submissions)).map(({ id }) => id);
  await rig.lifecycle.close();
  for (const id of ids) {
    expect(rig.recordOnDisk(id).state).toBe('running');
    expect(await readIdentity(rig.store.paths(id))).toBeDefined();
  }
  // Those that were being started are canceled like the others.
  await rig.jobs.cancelAll();
  expect(ids.map((id) => rig.recordOnDisk(id).state)).toEqual(['canceled', 'canceled', 'canceled']);
});

test('a recovered queue waits until it is opened: a start that fails must not have started jobs', async () => {
  const first = await startRig({ maxRunningJobs: 1 });
  const { id: running } = await first.submitReady({ program: 'forever', workdir: 'a' });
  const { id } = await first.submit({ program: 'exits-with', args: ['0'], workdir: 'b' });
  first.crash();
  const rig = makeRig({ root: first.root });
  await rig.store.prepare();
  await rig.store.load();
  await rig.lifecycle.recover();
  expect(await rig.positions([id])).toEqual([1]);
  rig.lifecycle.open();
  expect(await rig.ended(id)).toMatchObject({ state: 'success' });
  expect(await rig.cancel(running)).toMatchObject({ state: 'canceled' });
});
