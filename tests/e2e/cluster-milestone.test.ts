/** A short run of scripts/milestone.mjs cluster; the whole one is for people. */
import { expect, test } from '@jest/globals';
import { requirement } from '../support/requirements.ts';
import { complaintOf } from '../support/script-run.ts';

const missing =
  process.getuid?.() === 0
    ? ['redis-server', 'ip', 'unshare', 'nsenter'].map((name) => requirement(name).missing).find(Boolean)
    : 'each host has network namespaces, which only root may make';
const jobs = 30;
const name = `${jobs} jobs with real labs on three hosts that are killed in turn: none is lost, doubled or elsewhere`;

(missing === undefined ? test : test.skip)(
  missing === undefined ? name : `${name} (skipped: ${missing})`,
  async () => {
    // The output names the seed and every violation.
    expect(await complaintOf('milestone.mjs', 'cluster', '--jobs', String(jobs), '--kills', '3')).toBe('');
  },
  300_000,
);
