import { expect, test } from '@jest/globals';
import { RedisClock } from '../../../src/cluster/redis-clock.ts';

test('the time of a reply is that of Redis, however slow the way was', () => {
  const clock = new RedisClock();
  const askedAt = performance.now() - 3_000;
  expect(clock.set(['1', '500000'], askedAt)).toBe(1_500);
  // The estimate counts half of the way.
  expect(clock.nowMs).toBeGreaterThanOrEqual(3_000);
});
