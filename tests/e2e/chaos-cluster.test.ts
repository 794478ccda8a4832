/** A short run of scripts/chaos.mjs with a cluster; the long one is for people: `scripts/chaos.mjs cluster --kills 100`. */
import { expect, test } from '@jest/globals';
import { requirement } from '../support/requirements.ts';
import { complaintOf } from '../support/script-run.ts';

const { missing } = requirement('redis-server');
const kills = 3;
const name = `${kills} faults in a cluster lose no job, double none and run none on two hosts`;

(missing === undefined ? test : test.skip)(
  missing === undefined ? name : `${name} (skipped: ${missing})`,
  async () => {
    // The output names the seed and every violation.
    expect(await complaintOf('chaos.mjs', 'cluster', '--kills', String(kills))).toBe('');
  },
  300_000,
);
