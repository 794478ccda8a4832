/** A cancel on a machine with very many processes, most of them those of the job. */
import { expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { processesOf, startProgram, topologyThat } from '../support/service.ts';

const count = 3_000;

test(`a job of ${count} processes, half of them in sessions of their own, is ended to the last`, async () => {
  const service = await startProgram();
  const { ground } = service;
  // The inner shells fork without a new program; those that `setsid` starts are found by their environment alone.
  const spread = `for a in $(seq 30); do (for b in $(seq ${count / 60}); do sleep 1000 & done; wait) & done`;
  const id = await service.start({
    action: 'create',
    workdir: ground.workdir,
    topology: topologyThat(
      'trap "" INT',
      spread,
      `setsid --fork sh -c '${spread}; wait' 9>&-`,
      'wait_for never',
    ),
  });
  await ground.waitsFor('never');
  const others = await service.start({
    action: 'create',
    workdir: ground.makeWorkdir('other'),
    topology: topologyThat('wait_for go'),
  });
  await eventually('all of them', async () => (await processesOf(id)).length >= count);
  const cancel = await service.post(`/jobs/${id}/cancel`);
  expect([200, 202]).toContain(cancel.status);
  expect(await service.ended(id)).toMatchObject({ state: 'canceled', leftovers: [] });
  expect(await processesOf(id)).toEqual([]);
  ground.let('go');
  expect(await service.ended(others)).toMatchObject({ state: 'success' });
});
