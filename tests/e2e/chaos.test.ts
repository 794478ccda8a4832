/** A short run of scripts/chaos.mjs; the long one is for people: `scripts/chaos.mjs --kills 100`. */
import { expect, test } from '@jest/globals';
import { complaintOf } from '../support/script-run.ts';

test('ten kills at random moments lose no job, run none twice and leave no process', async () => {
  // The output names the seed and every violation.
  expect(await complaintOf('chaos.mjs', '--kills', '10')).toBe('');
}, 180_000);
