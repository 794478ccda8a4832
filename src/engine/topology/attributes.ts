/** The attributes of netlab's topology format, and those that this engine supports. */
import { didYouMean } from '../../lib/text/did-you-mean.ts';
import type { Mapping, Reading } from './source.ts';

/**
 * Plugins of netlab that change nothing in a lab without routing protocols. (A topology that also uses the module of
 * such a plugin is refused because of the module.)
 */
export const pluginsWithoutEffect: readonly string[] =
  'bgp.domain bgp.originate bgp.policy bgp.session check.config ebgp.multihop ebgp.utils ospf.areas proxy_arp vrrp.version'.split(
    ' ',
  );

/** The end of every message about a feature of netlab that this engine does not have. */
export const advice = 'install netlab to use it';

/**
 * The attributes that netlab 26.10 allows in one kind of map (`netsim/defaults/attributes.yml`), by their effect
 * here.
 */
interface Attributes {
  readonly supported: readonly string[];
  /** Attributes without effect on the lab: a warning. */
  readonly ignored: readonly string[];
  /** Attributes with an effect that this engine does not have: an error. */
  readonly unsupported: readonly string[];
}

export type AttributeKind =
  'topology' | 'group' | 'node' | 'loopback' | 'link' | 'interface' | 'prefix' | 'pool';

function words(text: string): readonly string[] {
  return text.split(' ');
}

/** Names of the modules and providers of netlab 26.10; they are attributes of the topology, of nodes and of links. */
const modules =
  'bfd bgp dhcp eigrp evpn gateway isis lag mpls ospf ripv2 routing services sr srv6 stp vlan vrf vxlan'.split(
    ' ',
  );
const plugins = words('bonding firewall fabric kind mlag ebgp proxy_arp tunnel vrrp policy');
const providers = ['clab', 'libvirt', 'external', 'virtualbox'];
const providersAndOutputs = [...providers, 'graph', 'd2', 'report', 'outputs'];

const link: Attributes = {
  supported: ['type', 'prefix', 'pool', 'role', 'name', 'mtu', 'disable', 'group', 'members', 'unnumbered'],
  ignored: ['bandwidth', 'bridge', 'linkid', ...providersAndOutputs],
  unsupported: [...words('ra shutdown tc vlan_name vlans vrfs'), ...modules, ...plugins],
};

const node: Attributes = {
  supported: ['id', 'name', 'device', 'role', 'loopback', 'mtu'],
  ignored: [
    ...words('box image cpu memory mgmt provider router_id skip_config group tools graphite'),
    ...providersAndOutputs,
  ],
  unsupported: [
    ...words('module config interfaces unmanaged include vlans vrfs'),
    ...words('cat8000v control_plane eos frr ios'),
    ...modules,
    ...plugins,
  ],
};

const attributes: Record<AttributeKind, Attributes> = {
  topology: {
    supported: words('name nodes links groups addressing prefix defaults provider plugin message validate'),
    ignored: [...words('version input tools'), ...providersAndOutputs],
    unsupported: [...words('module vlans vrfs components _include frr ios'), ...modules, ...plugins],
  },
  node,
  group: {
    supported: [...node.supported, 'members', 'node_data', 'type'],
    ignored: [...node.ignored.filter((key) => key !== 'group'), 'vars'],
    unsupported: node.unsupported,
  },
  loopback: { supported: ['ipv4', 'ipv6', 'pool'], ignored: [], unsupported: modules },
  link,
  interface: {
    supported: ['node', 'ipv4', 'ipv6', 'name', 'mtu'],
    ignored: link.ignored,
    unsupported: [
      ...words('ifindex ifname'),
      ...link.unsupported,
      ...link.supported.filter((key) => key !== 'name' && key !== 'mtu'),
    ],
  },
  prefix: { supported: ['ipv4', 'ipv6', 'allocation', 'pool'], ignored: ['_name'], unsupported: [] },
  pool: {
    supported: ['ipv4', 'ipv6', 'prefix', 'prefix6', 'allocation', 'unnumbered'],
    ignored: ['start', 'mac'],
    unsupported: [],
  },
};

/** The keys that are allowed in a map of this kind, for suggestions. */
export function supportedAttributes(kind: AttributeKind): readonly string[] {
  return attributes[kind].supported;
}

/** The reason why a map of this kind cannot have `key`: only netlab supports the key, or the key is unknown. */
export function refusal(kind: AttributeKind, key: string): string {
  const { supported, unsupported } = attributes[kind];
  if (unsupported.includes(key))
    return `"${key}" is an attribute of netlab that the bundled engine does not support; ${advice}`;
  return `unknown ${kind} attribute "${key}"${didYouMean(key, supported)}`;
}

/** The attributes that netlab has in such a map, even those without support here. */
export function attributesOf(kind: AttributeKind): readonly string[] {
  const { supported, ignored, unsupported } = attributes[kind];
  return [...supported, ...ignored, ...unsupported];
}

export function isAttribute(kind: AttributeKind, key: string): boolean {
  return attributesOf(kind).includes(key);
}

/** Keys that netlab does not check either: users have them for their own templates, and on nodes for Ansible. */
function isPrivate(kind: AttributeKind, key: string): boolean {
  if (key === '_include') return false;
  return key.startsWith('_') || (kind === 'node' && /^(?:netlab|ansible)_/.test(key));
}

/** Reports every key of `map` that is not supported: an error, or a warning when it has no effect on the lab. */
export function checkKeys(kind: AttributeKind, map: Mapping, { source, findings }: Reading): void {
  const { supported, ignored } = attributes[kind];
  for (const key of Object.keys(map)) {
    if (supported.includes(key) || isPrivate(kind, key)) continue;
    const at = source.keyAt(map, key);
    if (ignored.includes(key))
      findings.warn(at, `${kind} attribute "${key}" has no effect in the bundled engine`);
    else findings.error(at, refusal(kind, key));
  }
}
