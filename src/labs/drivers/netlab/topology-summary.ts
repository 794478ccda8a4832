import { isMapping, textOf, type Mapping } from '../../../lib/mapping.ts';
import type { TopologySummary } from '../lab-driver.ts';
import { dotted } from './dotted.ts';

function trimmedText(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  return textOf(typeof value === 'string' ? value.trim() : value);
}

function countOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return isMapping(value) ? Object.keys(value).length : 0;
}

/** That of each node, of the groups, and the default for the others. */
function devicesOf(topology: Mapping, fallback: string | null): readonly string[] {
  const { nodes, groups } = topology;
  const named = [nodes, groups].flatMap((map) => (isMapping(map) ? Object.values(map) : []));
  const own = named.map((one) => (isMapping(one) ? trimmedText(one['device']) : null));
  const isComplete = isMapping(nodes) && Object.values(nodes).every((one) => isMapping(one) && one['device']);
  return [...new Set([...own, isComplete ? null : fallback])].filter((device) => device !== null);
}

/** What a topology says about its lab. A lab without a title goes by its name. */
export function summarizeTopology(topology: Mapping): TopologySummary {
  const device = trimmedText(dotted(topology, ['defaults', 'device']));
  return {
    title: trimmedText(topology['title']) ?? trimmedText(topology['name']),
    description: trimmedText(topology['description']),
    provider: trimmedText(topology['provider']) ?? trimmedText(dotted(topology, ['defaults', 'provider'])),
    device,
    devices: devicesOf(topology, device),
    nodes: countOf(topology['nodes']),
    links: countOf(topology['links']),
    unsupported: [],
  };
}

/** What each provider of netlab runs (netsim/providers): without it, the lab cannot be started. */
const programsOf: Readonly<Record<string, readonly string[]>> = {
  clab: ['containerlab', 'docker'],
  libvirt: ['vagrant', 'virsh'],
  virtualbox: ['vagrant', 'VBoxManage'],
};

/** Without a provider in the topology, an administrator's file may choose one (`~/.netlab.yml`): nothing is known then. */
export function missingPrograms(
  { provider }: Pick<TopologySummary, 'provider'>,
  has: (program: string) => boolean,
): readonly string[] {
  const programs = Object.hasOwn(programsOf, provider ?? '') ? programsOf[provider ?? ''] : undefined;
  return (programs ?? [])
    .filter((program) => !has(program))
    .map((program) => `provider ${provider} needs ${program}, which is not installed here`);
}
