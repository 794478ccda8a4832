import { expect, test } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { jobRigs } from '../support/job-rig.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const root = temporaryDirectory();
const makeRig = jobRigs();
const labs = ['lab-0', 'lab-1', 'lab-2', 'lab-3', 'lab-4'];

test('a crash in the middle of a full queue: every job runs once, each directory in its order, one at a time', async () => {
  const options = { root, maxRunningJobs: 3 };
  const before = makeRig(options);
  await before.start();
  const gate = path.join(root, 'gate');
  const ids = new Map<string, string[]>(labs.map((lab) => [lab, []]));
  for (let round = 0; round < 8; round += 1) {
    for (const workdir of labs) {
      // The first ones hold all places until the gate is opened; each notes its round in its directory.
      const script = `${round === 0 ? `while [ ! -e "$1" ]; do sleep 0.02; done; ` : ''}echo $0 >>rounds`;
      const { id } = await before.submit({
        program: '/bin/sh',
        args: ['-c', script, String(round), gate],
        workdir,
      });
      ids.get(workdir)?.push(id);
    }
  }
  for (const lab of labs.slice(0, 3)) await before.shimOf(ids.get(lab)?.[0] ?? '');
  before.crash();
  writeFileSync(gate, '');

  const after = makeRig(options);
  await after.start();
  for (const lab of labs) {
    const jobs = await Promise.all((ids.get(lab) ?? []).map(async (id) => after.ended(id)));
    expect(jobs.map(({ state }) => state)).toEqual(jobs.map(() => 'success'));
    expect(readFileSync(path.join(root, lab, 'rounds'), 'utf8')).toBe('0\n1\n2\n3\n4\n5\n6\n7\n');
    const overtakes = jobs.filter((job, turn) => {
      const last = jobs[turn - 1];
      return last !== undefined && (job.startedAt ?? '') < (last.finishedAt ?? '');
    });
    expect(overtakes).toEqual([]);
  }
});
