/** Which nodes the packets of a stream pass: echo requests with a small TTL, which each of them answers when it runs out. */
import { RunningNodeProgram } from '../../labs/nodes/node-program.ts';
import { after } from '../../lib/async/disposal.ts';
import type { ScenarioPlan, Stream } from '../model/scenario-plan.ts';
import type { FlowPath } from '../model/scenario-report.ts';
import type { Way } from './probe.ts';

/** All hops at once: a node that does not answer costs a second, not one for each. Lines have the TTL in front. */
const script = `most=$1
shift
ttl=1
while [ $ttl -le "$most" ]; do
  ping -n -c 1 -W 1 -t $ttl "$@" 2>&1 | sed "s/^/$ttl /" &
  ttl=$((ttl + 1))
done
wait`;

const limitMs = 3_000;

/**
 * `64 bytes from 10.0.0.3: icmp_seq=1 …`; `From 10.1.0.2 icmp_seq=1 Time to live exceeded`, for IPv6 `Time exceeded: Hop limit`;
 * and `Destination Net Unreachable` of a router without a route, which says so whatever the TTL is.
 */
const hopLine = /^(\d+) (?:\d+ bytes from (\S+): |From (\S+) icmp_seq=\d+ (Time|Destination) )/gm;

/** Never rejects: a path that cannot be measured has no hops. */
export async function pathOf(
  { name, address, source }: Stream,
  { way, env }: Way,
  { maxHops, nodes }: NonNullable<ScenarioPlan['paths']>,
): Promise<FlowPath> {
  const from = source === null ? [] : ['-I', source];
  const program = ['sh', '-c', script, 'path', String(maxHops), ...from, address];
  const running = new RunningNodeProgram({ way, program, env: { ...env, LC_ALL: 'C' }, isMerged: true });
  const stopTimer = after(limitMs, () => running.stop());
  let output = '';
  for await (const chunk of running.output()) output += chunk.toString('latin1');
  await running.ended;
  stopTimer();
  const hops: (string | null)[] = [];
  let end = Number.POSITIVE_INFINITY;
  let isWhole = false;
  for (const [, ttl, receiver, router = '', why] of output.matchAll(hopLine)) {
    const hop = receiver ?? router;
    hops[Number(ttl) - 1] = nodes[hop] ?? hop;
    if (why === 'Time' || Number(ttl) >= end) continue;
    end = Number(ttl);
    isWhole = receiver !== undefined;
  }
  return { stream: name, hops: Array.from(hops.slice(0, end), (hop) => hop ?? null), isWhole };
}
