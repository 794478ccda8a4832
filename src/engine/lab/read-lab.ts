import path from 'node:path';
import { LineCounter } from 'yaml';
import { Addressing } from '../addressing/addressing.ts';
import type { AddressedLab } from '../addressing/addressing.ts';
import { advice, checkKeys } from '../topology/attributes.ts';
import { readLinks } from '../topology/links.ts';
import type { Lab, ReadResult, TopologyOverrides } from '../core/model.ts';
import { readNamedPrefixes } from '../topology/named-prefixes.ts';
import { normalizeNodes, readNodes } from '../topology/nodes.ts';
import { readPools } from '../topology/pools.ts';
import { Report } from '../topology/report.ts';
import { withRoutes } from '../routing/routes.ts';
import { applyOverrides } from '../topology/settings.ts';
import { isMapping, Source } from '../topology/source.ts';
import type { Mapping } from '../topology/source.ts';
import { checkValues, defaultsSchema, headSchema } from '../topology/topology-schema.ts';

const noLab: AddressedLab = { nodes: [], links: [] };

interface Context {
  readonly source: Source;
  readonly report: Report;
}

/** What of the topology is neither node nor link. */
interface Head {
  readonly name: string;
  readonly instance: string;
  readonly message: string | null;
}

/** `defaults` that this engine uses, or that ask for silence. */
const usedDefaults = ['device', 'provider', 'addressing', 'const', 'multilab', 'warnings', 'name'];

/** As netlab makes a name from a directory (`netsim/augment/topology.py`, name_from_path). */
function nameOf(directory: string): string {
  const word = path
    .basename(path.resolve(directory))
    .replaceAll(/[^A-Za-z0-9]/g, '')
    .replace(/^[0-9]+/, '');
  return word.slice(0, 12) || 'default';
}

function readDefaults({ source, report }: Context) {
  const { root } = source;
  const given = root['defaults'] ?? source.mapping();
  if (!isMapping(given)) {
    report.error(source.valueAt(root, 'defaults'), 'defaults must be a map');
    return { map: source.mapping(), values: undefined };
  }
  for (const key of Object.keys(given))
    if (!usedDefaults.includes(key))
      report.warn(source.keyAt(given, key), `defaults.${key} has no effect in the bundled engine`);
  return { map: given, values: checkValues(defaultsSchema, given, { source, report, where: 'defaults' }) };
}

/** Whether plugin multilab is on; any other is an error. */
function readPlugins({ source, report }: Context): boolean {
  const given = source.root['plugin'] ?? [];
  const list: unknown[] = Array.isArray(given) ? given : [given];
  const at = source.valueAt(source.root, 'plugin');
  for (const [index, plugin] of list.entries()) {
    if (plugin === 'multilab') continue;
    const origin = Array.isArray(given) ? source.valueAt(given, index) : at;
    report.error(origin || at, `plugin ${JSON.stringify(plugin)} is not in the bundled engine; ${advice}`);
  }
  return list.includes('multilab');
}

function checkProvider({ source, report }: Context, defaults: Mapping): void {
  for (const map of [defaults, source.root]) {
    const provider = map['provider'];
    if (typeof provider === 'string' && provider !== 'netns')
      report.warn(
        source.valueAt(map, 'provider'),
        `provider ${provider}: the bundled engine uses network namespaces (netns)`,
      );
  }
}

function readHead(context: Context, directory: string, defaults: ReturnType<typeof readDefaults>): Head {
  const { source, report } = context;
  checkKeys('topology', source.root, source, report);
  checkProvider(context, defaults.map);
  const values = checkValues(headSchema, source.root, { source, report, where: '' });
  const isMultilab = readPlugins(context);
  const id = defaults.values?.multilab?.id;
  const multilabAt = source.valueAt(defaults.map, 'multilab');
  if (isMultilab && id === undefined)
    report.error(source.valueAt(source.root, 'plugin'), 'plugin multilab needs defaults.multilab.id');
  if (!isMultilab && id !== undefined)
    report.warn(multilabAt, 'defaults.multilab.id has no effect without plugin: [multilab]');
  const message = values?.message ?? null;
  // The name that the plugin gives in netlab (`netsim/extra/multilab/defaults.yml`).
  if (isMultilab && id !== undefined) return { name: `ml-${id}`, instance: String(id), message };
  return { name: values?.name ?? nameOf(directory), instance: 'default', message };
}

function readLab(context: Context, directory: string): Lab {
  const { source, report } = context;
  const defaults = readDefaults(context);
  const head = readHead(context, directory, defaults);
  const errors = report.errorCount;
  const pools = readPools(source, report);
  const nodes = readNodes({
    ...context,
    idMax: defaults.values?.const?.MAX_NODE_ID,
    defaultDevice: {
      name: defaults.values?.device ?? 'linux',
      origin: source.valueAt(defaults.map, 'device'),
    },
  });
  const prefixes = readNamedPrefixes(source, report, pools);
  const isAddressable = report.errorCount === errors;
  const given = source.root['nodes'];
  const nodeNames = new Set(isMapping(given) ? Object.keys(given) : []);
  // Where no node is known, each end of a link would be an error that says nothing new.
  const links = nodeNames.size === 0 ? [] : readLinks({ ...context, nodeNames, prefixes });
  // Without the right nodes and pools every address would be wrong, and an error in itself.
  const addressed = isAddressable ? new Addressing(pools, report).address(nodes, links) : noLab;
  const routed = report.hasErrors ? [] : withRoutes(addressed.nodes, addressed.links, pools.prefixes);
  return { ...head, provider: 'netns', nodes: routed, links: addressed.links };
}

/**
 * From the text of a topology file to a lab with every address and route, or to all errors with line and column. Pure:
 * reads no file, runs nothing. The part of netlab's format that Linux nodes need; addresses are those of netlab 26.10.
 */
export function readTopology(text: string, overrides: TopologyOverrides): ReadResult {
  const lines = new LineCounter();
  const report = new Report(lines);
  const source = new Source(text, lines, report);
  if (report.hasErrors) return { ok: false, errors: report.errors, warnings: report.warnings };
  normalizeNodes(source, report);
  applyOverrides(source, report, overrides);
  const lab = readLab({ source, report }, overrides.directory);
  const { warnings } = report;
  return report.hasErrors ? { ok: false, errors: report.errors, warnings } : { ok: true, lab, warnings };
}
