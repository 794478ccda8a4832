/** What `netlab status` says of a lab and its nodes, in the words that all lab CLIs share (netsim/cli/status.py, 26.10). */
import { isMapping, textOf } from '../../../lib/mapping.ts';
import { upSince } from '../docker-status.ts';
import type { LabEntry, LabSummary, NodeState, NodeStatus } from '../status-driver.ts';

/** The last line of its log that says that it was started: `2026-11-21T03:33:00.105059+00:00: started`. */
function startedAtMsOf({ log, status }: LabEntry): number | null {
  if (!Array.isArray(log) || (status !== 'started' && status !== 'missing')) return null;
  const line = log.findLast((one) => typeof one === 'string' && one.endsWith(': started')) as unknown;
  const atMs = typeof line === 'string' ? Date.parse(line.slice(0, -': started'.length)) : Number.NaN;
  return Number.isNaN(atMs) ? null : atMs;
}

export function summaryOf(entry: LabEntry): LabSummary {
  const providers: unknown = entry['providers'];
  const provider: unknown = Array.isArray(providers) ? providers[0] : undefined;
  return { name: textOf(entry['name']), provider: textOf(provider), startedAtMs: startedAtMsOf(entry) };
}

/**
 * What the provider says (`Up 4 seconds` of Docker, `running` of libvirt). A node that the provider does not know has no
 * status, and one that netlab does not manage is `Unknown`.
 */
function stateOf(status: unknown): NodeState {
  const words = status ?? 'gone';
  if (typeof words !== 'string' || words === 'Unknown') return 'unknown';
  return /^(up|running)\b/i.test(words) ? 'up' : 'down';
}

export function nodesOf(document: LabEntry, printedAtMs: number): readonly NodeStatus[] {
  if (!isMapping(document['nodes'])) return [];
  const startedAtMs = startedAtMsOf(document);
  return Object.entries(document['nodes']).map(([name, node]) => {
    const { device, provider, image, mgmt, status = 'gone' } = isMapping(node) ? node : { status: 0 };
    // The engine makes all nodes of a lab at once, and says no more than that they are there.
    const asLab = status === 'Up' && startedAtMs !== null ? { atMs: startedAtMs, withinMs: 0 } : null;
    return {
      name,
      device: textOf(device),
      provider: textOf(provider),
      image: textOf(image),
      address: textOf(mgmt),
      state: stateOf(status),
      since: asLab ?? upSince(status, printedAtMs),
    };
  });
}
