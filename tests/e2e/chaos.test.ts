/** A short run of scripts/chaos.mjs; the long one is for people: `scripts/chaos.mjs jobs --kills 100`. */
import { expect, test } from '@jest/globals';
import { complaintOf } from '../support/script-run.ts';
import { isThorough } from '../support/thorough.ts';

const kills = isThorough ? 10 : 4;

test(`${kills} kills at random moments lose no job, run none twice and leave no process`, async () => {
  // The output names the seed and every violation.
  expect(await complaintOf('chaos.mjs', 'jobs', '--kills', String(kills))).toBe('');
}, 180_000);
