/** Reads `nodes` of a topology. */
import { didYouMean } from '../../lib/text/did-you-mean.ts';
import type { Prefix } from '../../lib/net/ip.ts';
import type { Role } from '../core/lab.ts';
import { advice, checkKeys } from './attributes.ts';
import type { Findings, Origin } from './findings.ts';
import { isMapping, quotesHint, type Mapping, type Reading } from './source.ts';
import { identifierFormat, identifierHelp } from './identifier-format.ts';
import { checkValues, loopbackSchema, nodeSchema } from './topology-schema.ts';

/** The loopback of a node in the topology; `true` means an address from the pool. */
export interface LoopbackRequest {
  readonly pool: string;
  readonly ipv4: Prefix | boolean;
  readonly ipv6: Prefix | boolean;
}

/** A node as the topology describes it. */
export interface NodeSpec {
  readonly name: string;
  readonly id: number;
  readonly device: string;
  readonly role: Role;
  readonly loopback: LoopbackRequest | null;
  /** The MTU of its interfaces unless they or their links have one; undefined for the kernel's default. */
  readonly mtu: number | undefined;
  readonly origin: Origin;
}

interface Context extends Reading {
  /** MAX_NODE_ID of the topology; undefined when it sets none. */
  readonly idMax: number | undefined;
  readonly defaultDevice: { readonly name: string; readonly origin: Origin };
}

interface NodeContext extends Context {
  /** One schema for all nodes: zod compiles a schema at its first use, which takes time. */
  readonly schema: ReturnType<typeof nodeSchema>;
}

type Draft = Omit<NodeSpec, 'id'> & { readonly id: number | undefined };

/** The highest id of a node: the limit of netlab, which a topology can raise, and the limit of this engine. */
const netlabIdMax = 150;
const engineIdMax = 65_535;
/** `none` is netlab's device for a node that only has addresses; in the engine it is a router. */
const devices = ['linux', 'linux-router', 'none'];

/**
 * Replaces a list of nodes in `source` by a map, so that later steps (including the options of the command line) work
 * with one form only. Reports entries that are not nodes, and duplicate names.
 */
export function normalizeNodes({ source, findings }: Reading): void {
  const { root } = source;
  const list = root['nodes'];
  if (!Array.isArray(list)) return;
  const map = source.mapping();
  for (const [index, item] of (list as unknown[]).entries()) {
    const name = isMapping(item) ? item['name'] : item;
    const origin = source.valueAt(list, index);
    if (typeof name !== 'string')
      findings.error(origin, `a node must be a name, or a map with a name${quotesHint(name)}`);
    else if (name in map) findings.error(origin, `duplicate node "${name}"`);
    else source.put(map, name, isMapping(item) ? item : null, { key: origin, value: origin });
  }
  source.put(root, 'nodes', map, { key: source.keyAt(root, 'nodes'), value: source.valueAt(root, 'nodes') });
}

function checkDevice(device: string, origin: Origin, findings: Findings): void {
  if (devices.includes(device)) return;
  const hint = didYouMean(device, devices) || `; ${advice}`;
  findings.error(
    origin,
    `device "${device}": the bundled engine supports only linux, linux-router and none${hint}`,
  );
}

function loopbackOf(
  data: Mapping,
  role: Role,
  { name, context }: { name: string; context: Context },
): LoopbackRequest | null {
  const { source, findings } = context;
  const value = data['loopback'];
  if (value === false) return null;
  const request = { pool: 'loopback', ipv4: true, ipv6: true };
  // A host or a gateway has a loopback only if the topology asks for it. In all other respects, the engine treats a
  // gateway as a router.
  if ((role === 'host' || data['role'] === 'gateway') && value === undefined) return null;
  if (value === undefined || value === true) return request;
  if (!isMapping(value)) {
    findings.error(source.valueAt(data, 'loopback'), `nodes.${name}.loopback must be true, false or a map`);
    return null;
  }
  checkKeys('loopback', value, context);
  const where = `nodes.${name}.loopback`;
  const values = checkValues(loopbackSchema, value, { source, findings, where });
  const { pool, ipv4, ipv6 } = values ?? {};
  return { pool: pool ?? request.pool, ipv4: ipv4 ?? true, ipv6: ipv6 ?? true };
}

function readNode(name: string, given: unknown, origin: Origin, context: NodeContext): Draft | undefined {
  const { source, findings } = context;
  if (!identifierFormat.test(name))
    findings.error(origin, `the name of a node ${identifierHelp}, unlike "${name}"`);
  else if (source.isUnquoted(source.root['nodes'] as Mapping, name))
    findings.error(origin, `the name of a node must be text: put "${name}" in quotes`);
  const data = given ?? source.mapping();
  if (!isMapping(data)) {
    findings.error(
      source.valueAt(source.root['nodes'] as Mapping, name),
      `nodes.${name} must be a map, or empty`,
    );
    return undefined;
  }
  checkKeys('node', data, context);
  const values = checkValues(context.schema, data, { source, findings, where: `nodes.${name}` });
  const device = values?.device ?? context.defaultDevice.name;
  if (values?.device !== undefined) checkDevice(device, source.valueAt(data, 'device'), findings);
  const said = values?.role === 'gateway' ? 'router' : values?.role;
  const role = said ?? (device !== 'linux' || values === undefined ? 'router' : 'host');
  if (device === 'linux-router' && role === 'host')
    findings.error(source.valueAt(data, 'role'), `nodes.${name}: a linux-router cannot be a host`);
  // Read even if the node is wrong: its loopback may be wrong as well, and all errors are reported at once.
  const loopback = loopbackOf(data, role, { name, context });
  if (values === undefined) return undefined;
  return { name, id: values.id, device, role, loopback, mtu: values.mtu, origin };
}

/** Gives an id to each node without one: they count from 1, and skip the ids in the topology. */
function withIds(drafts: readonly Draft[], context: Context): NodeSpec[] {
  const { findings, source } = context;
  const owners = new Map<number, string>();
  for (const { id, name } of drafts) {
    if (id === undefined) continue;
    const owner = owners.get(id);
    const data = (source.root['nodes'] as Mapping)[name] as Mapping;
    if (owner !== undefined)
      findings.error(source.valueAt(data, 'id'), `id ${id} of ${name} is also the id of ${owner}`);
    else owners.set(id, name);
  }
  let last = 0;
  const idMax = context.idMax ?? engineIdMax;
  const nodes = drafts.map((draft) => {
    if (draft.id !== undefined) return { ...draft, id: draft.id };
    do last += 1;
    while (owners.has(last));
    if (last === idMax + 1) findings.error(draft.origin, `more than ${idMax} nodes (MAX_NODE_ID)`);
    return { ...draft, id: last };
  });
  const beyond = context.idMax === undefined ? nodes.find(({ id }) => id > netlabIdMax) : undefined;
  if (beyond !== undefined)
    findings.warn(
      beyond.origin,
      `netlab refuses ids above ${netlabIdMax} unless defaults.const.MAX_NODE_ID is higher`,
    );
  return nodes;
}

/** The nodes in the order of the file, with ids; every error is reported. */
export function readNodes(context: Context): readonly NodeSpec[] {
  const { source, findings, defaultDevice } = context;
  const given = source.root['nodes'];
  const at = source.valueAt(source.root, 'nodes');
  // `nodes` is misspelt: that error is already reported.
  if (!('nodes' in source.root) && Object.keys(source.root).some((key) => didYouMean(key, ['nodes']) !== ''))
    return [];
  if (given === undefined || given === null || (isMapping(given) && Object.keys(given).length === 0)) {
    findings.error(at, 'there are no nodes: a topology needs at least one');
    return [];
  }
  if (!isMapping(given)) {
    findings.error(at, 'nodes must be a list of names, or a map of names');
    return [];
  }
  const drafts: Draft[] = [];
  const nodeContext = { ...context, schema: nodeSchema(context.idMax ?? engineIdMax) };
  for (const [name, data] of Object.entries(given)) {
    const draft = readNode(name, data, source.keyAt(given, name), nodeContext);
    if (draft !== undefined) drafts.push(draft);
  }
  const usesDefault = Object.values(given).some((data) => !isMapping(data) || data['device'] === undefined);
  if (usesDefault) checkDevice(defaultDevice.name, defaultDevice.origin, findings);
  return withIds(drafts, context);
}
