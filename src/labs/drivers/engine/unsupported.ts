import { isMapping, type Mapping } from '../../../lib/mapping.ts';
import type { TopologySummary } from '../lab-driver.ts';

/** Those that the engine has (src/engine/topology/read-nodes.ts); a test compares what is said here with what it refuses. */
const devices = ['linux', 'linux-router', 'none'];
/** The most frequent unsupported attributes of topologies, nodes and groups. */
const attributes = ['module', 'vlans', 'vrfs', 'components', 'config'];

function textsIn(value: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.filter((one) => typeof one === 'string');
}

/** Plugins that change nothing in a lab without routing protocols only come with their module, which is refused. */
function mayBeRefused(plugin: string): boolean {
  return plugin !== 'multilab' && !plugin.includes('.') && plugin !== 'proxy_arp';
}

/**
 * Sentences about unsupported parts of a topology, found with a quick look: `lab create` finds all of them, but takes a hundred
 * times as long.
 */
export function unsupportedIn(
  topology: Mapping,
  summary: Pick<TopologySummary, 'devices'>,
): readonly string[] {
  const parts = [topology['nodes'], topology['groups']].flatMap((map) =>
    isMapping(map) ? Object.values(map).filter(isMapping) : [],
  );
  const used = attributes.filter((name) =>
    [topology, ...parts].some((part) => part[name] !== undefined && part[name] !== null),
  );
  const strange = summary.devices.filter((device) => !devices.includes(device));
  return [
    ...strange.map((device) => `the bundled engine has no device "${device}", but ${devices.join(', ')}`),
    ...used.map((name) => `the bundled engine has no "${name}"`),
    ...textsIn(topology['plugin'])
      .filter(mayBeRefused)
      .map((plugin) => `the bundled engine has no plugin "${plugin}"`),
  ];
}
