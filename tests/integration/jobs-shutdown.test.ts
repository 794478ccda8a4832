import { expect, test } from '@jest/globals';
import { readIdentity } from '../../src/jobs/job-files.ts';
import { restarts } from '../support/restarted-rig.ts';

const { startRig } = restarts();

test('a close waits for the starts under way: what is running on record has a process that a restart finds', async () => {
  const rig = await startRig();
  const submissions = ['a', 'b', 'c'].map(async (workdir) => rig.submit({ program: 'forever', workdir }));
  const ids = (await Promise.all(submissions)).map(({ id }) => id);
  await rig.jobs.close();
  for (const id of ids) {
    expect(rig.recordOnDisk(id).state).toBe('running');
    expect(await readIdentity(rig.store.paths(id))).toBeDefined();
  }
  // Those that were being started are canceled like the others.
  await rig.jobs.cancelAll();
  expect(ids.map((id) => rig.recordOnDisk(id).state)).toEqual(['canceled', 'canceled', 'canceled']);
});
