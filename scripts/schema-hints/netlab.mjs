/** Converts the description of attributes in the defaults of netlab (`netlab show defaults`). */
import { reachable, union } from './parts.mjs';

/** @typedef {import('./parts.mjs').Part} Part */
/** @typedef {import('./parts.mjs').PartMap} PartMap */
/** @typedef {import('./parts.mjs').Parts} Parts */
/** @typedef {Readonly<Record<string, unknown>>} Mapping */

const yesNo = ['true', 'false'];
const ofNodes = ['nodes'];

/** Attributes that netlab reads by program, so that its description of them is empty. @type {Readonly<Record<string, Parts>>} */
const read = {
  global: {
    addressing: 'addressing',
    components: { each: 'node' },
    defaults: 'defaults',
    groups: 'groups',
    links: { item: 'link', each: { item: 'link' } },
    message: 'str',
    module: { item: 'module' },
    nodes: { each: 'node', item: 'node' },
    plugin: { item: 'plugin' },
    provider: 'provider',
  },
  node: {
    group: { item: 'group_name' },
    loopback: 'loopback',
    module: { item: 'module' },
    provider: 'provider',
  },
  node_group: {
    _auto_create: 'bool',
    device: 'device',
    members: { item: { names: ['nodes', 'groups'] } },
    module: { item: 'module' },
    node_data: 'node',
    type: { values: ['node', 'vlan', 'vrf'] },
  },
  link: {
    group: 'id',
    interfaces: { item: 'interface' },
    members: { item: 'link' },
    pool: 'addr_pool',
    role: 'addr_pool',
  },
  vlan: { links: { item: 'link' } },
  node_vlan: { links: { item: 'link' } },
  vrf: { links: { item: 'link' } },
  'clab.node': { kind: 'kind' },
  'vlan.link': {
    access: 'vlan_name',
    native: 'vlan_name',
    trunk: { each: 'interface', key: 'vlan_name', item: 'vlan_name' },
  },
  'lag.link': { members: { item: 'link' } },
};

/** Types of values that are names in the same file. @type {Parts} */
const names = {
  addr_pool: { names: ['addressing'] },
  group_name: { names: ['groups'] },
  named_pfx: { names: ['prefix'] },
  node_id: { names: ofNodes },
  prefixset: { names: ['routing.prefix', 'prefix'] },
  vlan_name: { names: ['vlans'] },
  vrf_name: { names: ['vrfs'] },
};

/** @param {unknown} value @returns {value is Mapping} */
const isMapping = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** @param {unknown} value */
const mapOf = (value) => (isMapping(value) ? value : {});

/** @param {unknown} value */
const listOf = (value) => (Array.isArray(value) ? value.map(String) : Object.keys(mapOf(value)));

/** Keys that begin with `_` are for netlab alone. @param {unknown} map */
const entriesOf = (map) => Object.entries(mapOf(map)).filter(([key]) => !key.startsWith('_'));

/** Keys of the type "error" are refused. @param {unknown} map @returns {Parts} */
const keysOf = (map) =>
  Object.fromEntries(
    entriesOf(map)
      .map(([key, value]) => /** @type {const} */ ([key, partOf(value)]))
      .filter(([, part]) => part !== 'error'),
  );

/** Whether a map describes one value by its `type`, which can be a key too. @param {Mapping} map */
const isTyped = (map) => typeof map['type'] === 'string' && !('_namespace' in map);

/** The part of a typed value, without its alternatives. @param {Mapping} map @returns {Part} */
function typedPart(map) {
  const { type, _subtype: inner, _keys: keys, _keytype: keyType, valid_values: valid } = map;
  const values = valid === undefined ? undefined : listOf(valid);
  if (type === 'list') return values || inner ? { item: values ? { values } : partOf(inner) } : 'list';
  if (values) return { values };
  if (type !== 'dict') return String(type);
  const [each, key] = [partOf(inner), partOf(keyType)];
  const isName = typeof key === 'string' && ['id', 'int', 'asn', ''].includes(key);
  return union([
    {
      ...(keys ? { keys: keysOf(keys) } : {}),
      ...(inner && each !== 'error' ? { each } : {}),
      ...(isName ? {} : { key }),
    },
  ]);
}

/** @param {unknown} value @returns {Part} */
function partOf(value) {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return { item: { values: value.map(String) } };
  if (!isMapping(value)) return '';
  const part = isTyped(value) ? typedPart(value) : union([{ keys: keysOf(value) }]);
  const map = typeof part === 'string' ? {} : part;
  const key = map.key ?? (map.keys && { values: Object.keys(map.keys) });
  const others = listOf(value['_alt_types']);
  const isBoolean = others.includes('bool') || 'true_value' in value;
  const more = union([
    map,
    ...(isBoolean ? [{ values: yesNo }] : []),
    ...others.flatMap((one) => names[one] ?? []),
    ...(value['_list_to_dict'] === true && key !== undefined ? [{ item: key }] : []),
  ]);
  return Object.keys(more).length > 0 ? more : typeof part === 'string' ? part : 'dict';
}

/**
 * The description in the defaults: the kinds of maps, and the attributes of modules, providers, outputs and tools. `parts` grows
 * while they are converted.
 * @typedef {{ kinds: Mapping, owners: readonly (readonly [string, Mapping])[], parts: Parts }} Described
 */

/** The kinds whose attributes a map of this kind can have. @param {Described} described @param {string} kind @returns {string[]} */
function withInherited(described, kind) {
  const inherited = kind === 'interface' ? ['link'] : listOf(mapOf(described.kinds[kind])['_namespace']);
  return [...new Set([kind, ...inherited.flatMap((one) => withInherited(described, one))])];
}

/**
 * The names of the modules, providers, outputs and tools that a map of these kinds can have, with their parts.
 * @param {Described} described @param {readonly string[]} kinds @returns {Parts}
 */
function settingsIn({ owners, parts }, kinds) {
  /** @type {Parts} */
  const settings = {};
  for (const [name, attributes] of owners) {
    const found = kinds.filter((kind) => kind in attributes).toSorted();
    const [first] = found;
    if (first === undefined) continue;
    const own = union(found.map((kind) => partOf(attributes[kind])));
    const part = `${name}.${found.join('+')}`;
    parts[part] = {
      ...own,
      keys: Object.assign({}, own.keys, ...found.map((kind) => read[`${name}.${kind}`])),
    };
    // In links, the module vrf has no settings but the name of a VRF.
    settings[name] = typeof attributes[first] !== 'string' ? part : name === 'vrf' ? 'vrf_name' : 'id';
  }
  return settings;
}

/** @param {Described} described @param {string} kind @returns {Part} */
function kindPart(described, kind) {
  const description = described.kinds[kind];
  if (isMapping(description) && isTyped(description)) return partOf(description);
  const [own = kind, ...inherited] = withInherited(described, kind);
  const ofOthers = inherited.map((one) => {
    const unshared = listOf(described.kinds[`${one}_no_propagate`]);
    const entries = Object.entries(keysOf(described.kinds[one])).filter(([key]) => !unshared.includes(key));
    return Object.fromEntries(entries.map(([key, part]) => [key, read[one]?.[key] ?? part]));
  });
  const settings = settingsIn(described, [own, ...inherited]);
  const keys = Object.assign(settings, ...ofOthers.toReversed(), keysOf(description), read[own]);
  return Object.keys(keys).length > 0 ? { keys } : '';
}

/** The names of settings, without their values. @param {unknown} map @param {number} depth @returns {Part} */
function settingPart(map, depth) {
  if (typeof map === 'boolean') return 'bool';
  const entries = entriesOf(map).filter(([key]) => key !== 'attributes' && key !== 'features');
  if (depth === 0 || entries.length === 0) return '';
  return { keys: Object.fromEntries(entries.map(([key, one]) => [key, settingPart(one, depth - 1)])) };
}

/** The names in any of these maps. @param {readonly unknown[]} maps */
const settingsOfAny = (maps) => union(maps.map((one) => settingPart(one, 1)));

/** The part for `defaults`. @param {Mapping} defaults @param {readonly string[]} modules @returns {Part} */
function defaultsPart(defaults, modules) {
  const devices = Object.values(mapOf(defaults['devices'])).map(mapOf);
  const providers = mapOf(defaults['providers']);
  const ofProviders = Object.keys(providers).map((name) => [
    name,
    settingsOfAny(devices.map((one) => one[name])),
  ]);
  const isOther = (/** @type {[string, unknown]} */ [name]) => !modules.includes(name);
  const others = Object.fromEntries(entriesOf(defaults).filter(isOther));
  return {
    keys: {
      ...Object.fromEntries(modules.map((name) => [name, `${name}.global`])),
      ...union([settingPart(others, 2)]).keys,
      addressing: 'addressing',
      device: 'device',
      devices: {
        key: 'device',
        each: { keys: { ...settingsOfAny(devices).keys, ...Object.fromEntries(ofProviders) } },
      },
      groups: 'groups',
      multilab: { keys: { id: 'int' } },
      provider: 'provider',
      providers: { key: 'provider', each: settingsOfAny(Object.values(providers)) },
    },
  };
}

/** The protocols whose routes another protocol can import. @param {Mapping} defaults @param {readonly string[]} modules */
function importedProtocols(defaults, modules) {
  const features = Object.values(mapOf(defaults['devices'])).flatMap((device) =>
    Object.values(mapOf(mapOf(device)['features'])),
  );
  const all = new Set(features.flatMap((feature) => listOf(mapOf(feature)['import'])));
  return ['connected', 'static', ...modules].filter((name) => all.has(name));
}

/** The parts of the defaults of netlab: `global` is the whole topology. @param {Mapping} defaults */
export function netlabParts(defaults) {
  const withAttributes = (/** @type {unknown} */ map) =>
    Object.entries(mapOf(map)).flatMap(([name, one]) => {
      const { attributes } = mapOf(one);
      return isMapping(attributes) ? [/** @type {const} */ ([name, attributes])] : [];
    });
  const modules = withAttributes(defaults);
  const others = ['providers', 'outputs', 'tools'].flatMap((kind) => withAttributes(defaults[kind]));
  /** @type {Described} */
  const described = { kinds: mapOf(defaults['attributes']), owners: [...modules, ...others], parts: {} };
  const pools = Object.keys(mapOf(defaults['addressing'])).map((name) => [name, 'pool']);
  const moduleNames = modules.map(([name]) => name);
  const { parts } = described;
  for (const [kind, description] of Object.entries(described.kinds))
    if (isMapping(description)) parts[kind] = kindPart(described, kind);
  Object.assign(parts, names, {
    addressing: { keys: Object.fromEntries(pools), each: 'pool' },
    bool: { values: yesNo },
    defaults: defaultsPart(defaults, moduleNames),
    device: { values: Object.keys(mapOf(defaults['devices'])) },
    groups: { keys: { _auto_create: 'bool' }, each: 'node_group' },
    link: union([parts['link'] ?? '', { each: 'interface', key: 'node_id', names: ofNodes }]),
    loopback: union([parts['loopback'] ?? '', { values: yesNo }]),
    module: { values: moduleNames },
    provider: { values: Object.keys(mapOf(defaults['providers'])) },
    r_proto: { values: importedProtocols(defaults, moduleNames) },
  });
  return reachable(parts, 'global');
}
