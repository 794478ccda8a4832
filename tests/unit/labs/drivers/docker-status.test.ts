import { expect, test } from '@jest/globals';
import { upSince } from '../../../../src/labs/drivers/docker-status.ts';

const nowMs = Date.parse('2026-11-22T12:00:00Z');

test.each([
  ['Up Less than a second', 1_000, 1_000],
  ['Up 1 second', 1_000, 1_000],
  ['Up 59 seconds (healthy)', 59_000, 1_000],
  ['Up About a minute', 60_000, 60_000],
  ['Up About an hour (Paused)', 3_600_000, 3_600_000],
  ['Up 47 hours', 47 * 3_600_000, 3_600_000],
  ['up 2 weeks', 14 * 86_400_000, 7 * 86_400_000],
])('%s', (status, agoMs, withinMs) => {
  expect(upSince(status, nowMs)).toEqual({ atMs: nowMs - agoMs, withinMs });
});

test.each([
  '',
  'Up',
  'Upset 3 seconds',
  'Exited (0) 2 minutes ago',
  'Created',
  'Up 3 fortnights',
  7,
  null,
  undefined,
])('of %p nothing is known', (status) => {
  expect(upSince(status, nowMs)).toBeNull();
});
