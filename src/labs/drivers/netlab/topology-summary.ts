import { isMapping, type Mapping } from '../../../lib/mapping.ts';
import type { TopologySummary } from '../lab-driver.ts';
import { dotted } from './dotted.ts';

function textOf(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}

function countOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return isMapping(value) ? Object.keys(value).length : 0;
}

/** What a topology says about its lab. A lab without a title goes by its name. */
export function summarizeTopology(topology: Mapping): TopologySummary {
  return {
    title: textOf(topology['title']) ?? textOf(topology['name']),
    description: textOf(topology['description']),
    provider: textOf(topology['provider']),
    device: textOf(dotted(topology, ['defaults', 'device'])),
    nodes: countOf(topology['nodes']),
    links: countOf(topology['links']),
  };
}
