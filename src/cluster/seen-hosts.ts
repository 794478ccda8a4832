/** The hosts as clients see them: also how far that is to be believed. */
import type { SeenHost } from './model/host.ts';
import type { Reach } from './reach.ts';
import type { RedisClock } from './redis-clock.ts';
import type { Registry } from './registry.ts';

export function seenHosts(
  { hosts, isStale }: Registry,
  reach: Reach,
  clock: RedisClock,
): readonly SeenHost[] {
  const nowMs = clock.nowMs ?? Date.now();
  return hosts.map((host) => ({
    host,
    agoMs: Math.max(0, nowMs - host.seenAtMs),
    isStale: isStale && !host.isThis,
    unreachable: reach.whyNot(host.id),
  }));
}
