/** A short run of scripts/events-gap.mjs; the long one is for people: 50 clients, 1,000 jobs, ten kills. */
import { expect, test } from '@jest/globals';
import { complaintOf } from '../support/script-run.ts';

test('over three kills, each client is told of every transition of every job, once and in order', async () => {
  // The output names the seed and every violation.
  expect(await complaintOf('events-gap.mjs', '--clients', '10', '--jobs', '60', '--kills', '3')).toBe('');
}, 180_000);
