import { expect, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
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
  await first.processCount(id, 3);
  const pids = processesOf(id);
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
