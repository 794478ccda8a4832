import { expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { open } from 'node:fs/promises';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { isAlive } from '../../src/lib/processes/processes.ts';
import { eventually } from '../support/eventually.ts';
import { noneRecovered, restarts } from '../support/restarted-rig.ts';

const { makeRig, startRig } = restarts();

test('a job that ends while a new service looks at it is not taken for lost', async () => {
  const first = await startRig();
  const gate = path.join(first.root, 'gate');
  const { id } = await first.submitReady({ program: 'waits-for-file', args: [gate, '5'] });
  const shim = await first.shimOf(id);
  first.crash();
  // Holds whoever looks for the result in the middle of this look, until the writer has closed.
  const { exit } = first.store.paths(id);
  execFileSync('mkfifo', [exit]);
  const rig = makeRig({ root: first.root });
  const starting = rig.start();
  const writer = await open(exit, 'w');
  writeFileSync(gate, '');
  await eventually('the process to be gone', () => !isAlive(shim));
  await writer.close();
  // That look found no result. But the process was alive before it, so it is looked at once more.
  expect(await starting).toEqual({ ...noneRecovered, adopted: 1 });
  expect(await rig.ended(id)).toMatchObject({ state: 'failed', reason: 'exited', exitCode: 5 });
});
