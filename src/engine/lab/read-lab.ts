/**
 * `lab/` turns a topology file into a lab. This file reads nodes, links and pools, then computes addresses, then
 * routes.
 */
import path from 'node:path';
import { LineCounter } from 'yaml';
import { Addressing, type AddressedLab } from '../addressing/addressing.ts';
import type { Lab } from '../core/lab.ts';
import { withRoutes } from '../routing/with-routes.ts';
import { applyOverrides, type TopologyOverrides } from '../topology/apply-overrides.ts';
import { advice, checkKeys, pluginsWithoutEffect } from '../topology/attributes.ts';
import { expandGroups } from '../topology/expand-groups.ts';
import { Findings, type Finding } from '../topology/findings.ts';
import { readPools } from '../topology/pools.ts';
import { readLinks } from '../topology/read-links.ts';
import { readNamedPrefixes } from '../topology/read-named-prefixes.ts';
import { normalizeNodes, readNodes } from '../topology/read-nodes.ts';
import { readTests } from '../topology/read-tests.ts';
import { isMapping, Source, type Mapping, type Reading } from '../topology/source.ts';
import { checkValues, defaultsSchema, headSchema } from '../topology/topology-schema.ts';

/** The context of a topology file: facts that its text does not contain. */
export interface ReadLabOptions extends TopologyOverrides {
  /** The path of the file. Its directory gives the lab a name if the file has none. */
  readonly directory: string;
}

/** The result of reading a topology file: a lab, or every error in the file. */
export type ReadResult =
  | { readonly ok: true; readonly lab: Lab; readonly warnings: readonly Finding[] }
  | { readonly ok: false; readonly errors: readonly Finding[]; readonly warnings: readonly Finding[] };

const noLab: AddressedLab = { nodes: [], links: [] };

/** The attributes of the lab as a whole, without its nodes, links and addresses. */
interface Head {
  readonly name: string;
  readonly instance: string;
  readonly message: string | null;
}

/** The `defaults` that the engine uses, and `warnings`, which it accepts without a warning. */
const usedDefaults = ['device', 'provider', 'addressing', 'const', 'multilab', 'warnings', 'name'];

/** Makes a name from a directory as netlab does (`netsim/augment/topology.py`, name_from_path). */
function nameOf(directory: string): string {
  const word = path
    .basename(path.resolve(directory))
    .replaceAll(/[^A-Za-z0-9]/g, '')
    .replace(/^[0-9]+/, '');
  return word.slice(0, 12) || 'default';
}

function readDefaults({ source, findings }: Reading) {
  const { root } = source;
  const given = root['defaults'] ?? source.mapping();
  if (!isMapping(given)) {
    findings.error(source.valueAt(root, 'defaults'), 'defaults must be a map');
    return { map: source.mapping(), values: undefined };
  }
  // Groups in `defaults` would change nodes, so the engine cannot ignore them as it ignores the rest.
  if ('groups' in given)
    findings.error(
      source.keyAt(given, 'groups'),
      `groups in defaults are not supported: put them next to nodes; ${advice}`,
    );
  for (const key of Object.keys(given))
    if (!usedDefaults.includes(key) && key !== 'groups')
      findings.warn(source.keyAt(given, key), `defaults.${key} has no effect in the bundled engine`);
  return { map: given, values: checkValues(defaultsSchema, given, { source, findings, where: 'defaults' }) };
}

/** Whether the plugin multilab is on; any other plugin that would change the lab is an error. */
function readPlugins({ source, findings }: Reading): boolean {
  const given = source.root['plugin'] ?? [];
  const list: unknown[] = Array.isArray(given) ? given : [given];
  const at = source.valueAt(source.root, 'plugin');
  for (const [index, plugin] of list.entries()) {
    if (plugin === 'multilab') continue;
    const origin = (Array.isArray(given) && source.valueAt(given, index)) || at;
    if (pluginsWithoutEffect.includes(plugin as string))
      findings.warn(origin, `plugin ${String(plugin)} has no effect in the bundled engine`);
    else
      findings.error(
        origin,
        `the bundled engine does not support plugin ${JSON.stringify(plugin)}; ${advice}`,
      );
  }
  return list.includes('multilab');
}

function checkProvider({ source, findings }: Reading, defaults: Mapping): void {
  for (const map of [defaults, source.root]) {
    const provider = map['provider'];
    if (typeof provider === 'string' && provider !== 'netns')
      findings.warn(
        source.valueAt(map, 'provider'),
        `provider ${provider}: the bundled engine uses network namespaces (netns)`,
      );
  }
}

function readHead(reading: Reading, directory: string, defaults: ReturnType<typeof readDefaults>): Head {
  const { source, findings } = reading;
  checkKeys('topology', source.root, reading);
  checkProvider(reading, defaults.map);
  const values = checkValues(headSchema, source.root, { source, findings, where: '' });
  const isMultilab = readPlugins(reading);
  const id = defaults.values?.multilab?.id;
  const multilabAt = source.valueAt(defaults.map, 'multilab');
  if (isMultilab && id === undefined)
    findings.error(source.valueAt(source.root, 'plugin'), 'plugin multilab needs defaults.multilab.id');
  if (!isMultilab && id !== undefined)
    findings.warn(multilabAt, 'defaults.multilab.id has no effect without plugin: [multilab]');
  const message = values?.message ?? null;
  // The name that the plugin sets in netlab (`netsim/extra/multilab/defaults.yml`).
  if (isMultilab && id !== undefined) return { name: `ml-${id}`, instance: String(id), message };
  return { name: values?.name ?? nameOf(directory), instance: 'default', message };
}

/** Named waiting times: `defaults.const.validate`. */
export function waitsOf(defaults: Mapping): Mapping {
  const constants = defaults['const'];
  const waits = isMapping(constants) ? constants['validate'] : undefined;
  return isMapping(waits) ? waits : {};
}

function computeFrom(reading: Reading, directory: string): Lab {
  const { source, findings } = reading;
  const defaults = readDefaults(reading);
  const head = readHead(reading, directory, defaults);
  const errors = findings.errorCount;
  const pools = readPools(reading);
  const nodes = readNodes({
    ...reading,
    idMax: defaults.values?.const?.MAX_NODE_ID,
    defaultDevice: {
      name: defaults.values?.device ?? 'linux',
      origin: source.valueAt(defaults.map, 'device'),
    },
  });
  const prefixes = readNamedPrefixes(reading, pools);
  const isAddressable = findings.errorCount === errors;
  const given = source.root['nodes'];
  const nodeNames = new Set(isMapping(given) ? Object.keys(given) : []);
  // If no node could be read, every end of a link would be an error about a missing node.
  const links = nodeNames.size === 0 ? [] : readLinks({ ...reading, nodeNames, prefixes });
  const tests = readTests(source.root['validate'], { ...reading, nodeNames, waits: waitsOf(defaults.map) });
  // With wrong nodes or pools, every address would be wrong and cause errors that are not in the file.
  const addressed = isAddressable ? new Addressing(pools, findings).address(nodes, links) : noLab;
  const routed = findings.hasErrors ? [] : withRoutes(addressed.nodes, addressed.links, pools.prefixes);
  const lab = { ...head, provider: 'netns', nodes: routed, links: addressed.links };
  return tests.length === 0 ? lab : { ...lab, tests };
}

/**
 * Turns the text of a topology file into a lab with all addresses and routes, or into all errors with line and
 * column. Reads no file and runs nothing. Supports the part of netlab's format that Linux nodes need, and computes
 * the same addresses as netlab 26.10.
 */
export function readLab(text: string, options: ReadLabOptions): ReadResult {
  const lines = new LineCounter();
  const findings = new Findings(lines);
  const source = new Source(text, lines, findings);
  if (findings.hasErrors) return { ok: false, errors: findings.errors, warnings: findings.warnings };
  const reading = { source, findings };
  normalizeNodes(reading);
  applyOverrides(reading, options);
  expandGroups(reading);
  const lab = computeFrom(reading, options.directory);
  const { warnings } = findings;
  return findings.hasErrors ? { ok: false, errors: findings.errors, warnings } : { ok: true, lab, warnings };
}
