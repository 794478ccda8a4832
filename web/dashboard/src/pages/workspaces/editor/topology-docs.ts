/**
 * Sentences about the keys of a netlab topology, by the part of lab-schemas.json that has the key. They are our own;
 * netlab.tools has the full reference.
 */
import { modules } from '../../../parts/topology/topology-words.ts';

type Docs = Readonly<Record<string, string>>;

const addresses: Docs = {
  ipv4: 'An IPv4 prefix or address; true for one without an address of its own, false for none.',
  ipv6: 'An IPv6 prefix or address; true for link-local addresses alone, false for none.',
};

const prefix: Docs = {
  ...addresses,
  allocation: 'The assignment of addresses to the ends of a link.',
  pool: 'The address pool of the prefix.',
};

/** In every part. */
const everywhere: Docs = {
  ...Object.fromEntries(
    Object.entries(modules).map(([key, doc]) => [key, `Settings of the module ${key}: ${doc}`]),
  ),
  clab: 'Settings for containerlab, such as image, kind, binds and env.',
  libvirt: 'Settings for virtual machines of libvirt.',
  module: 'The configured modules: a list.',
  mtu: 'The largest packet in bytes, from 64 to 9216.',
  unnumbered: 'Interfaces use the address of the loopback.',
};

const interfaces: Docs = {
  ...addresses,
  name: 'A description of the interface.',
  node: 'The node of this end.',
  ifindex: 'The number of the interface.',
  ifname: 'The name of the interface on the device.',
};

const link: Docs = {
  type: 'The kind of the link; by default, it depends on the number and the roles of its nodes.',
  prefix: 'The prefix of the link, a map with ipv4 and ipv6, or the name of a prefix.',
  pool: 'The address pool of its prefix.',
  role: 'The role of the link, which also chooses its address pool.',
  name: 'A name of the link, for descriptions of its interfaces.',
  interfaces: 'The ends of the link, as a list; other forms are shorter.',
  bandwidth: 'Bandwidth in kbps, as it is configured on interfaces.',
  bridge: 'The name of the Linux bridge that the link becomes.',
  disable: 'Leaves the link out.',
  shutdown: 'The interfaces are shut down at the start.',
  group: 'Makes this entry a group of links with common attributes.',
  members: 'The links of a group.',
  linkid: 'An identifier for plugins that join links.',
  ra: 'Router advertisements of IPv6: disable, slaac, dhcp, onlink.',
  tc: 'Impairment of the link.',
};

const node: Docs = {
  device: 'The operating system of the node.',
  role: 'The role of the node.',
  id: 'The number of the node, from 1; addresses are derived from it.',
  name: 'A descriptive name.',
  loopback: 'Whether it has a loopback: true, false, or a map with its addresses.',
  provider: 'The provider of this node, if it differs from that of the lab.',
  box: 'The Vagrant box of the node.',
  image: 'The container image of the node.',
  cpu: 'How many processors it has.',
  memory: 'Its memory in MiB.',
  config: 'Custom configuration templates for the node: a list.',
  group: 'The groups that the node is in.',
  mgmt: 'Its management interface: ipv4, ipv6, mac, ifname.',
  router_id: 'Its router id, an IPv4 address.',
  skip_config: 'Templates that are skipped on the node: a list.',
  unmanaged: 'The node is not configured.',
  interfaces: 'Data of its interfaces; links create them.',
};

const createsMembers = 'Creates members that are not nodes yet.';

/** By part and key. */
export const docs: Readonly<Record<string, Docs>> = {
  _prefix: prefix,
  'link.prefix': prefix,
  interface: { ...link, ...interfaces },
  link,
  node,
  loopback: { ...addresses, pool: 'The address pool of the loopback.' },
  groups: { _auto_create: createsMembers },
  node_group: {
    ...node,
    members: 'The nodes of the group, and other groups.',
    vars: 'Variables of Ansible for the group.',
    node_data: 'Attributes of its nodes.',
    type: 'The kind of the members.',
    _auto_create: createsMembers,
  },
  'link.tc': {
    delay: 'The delay of packets, such as 10ms.',
    jitter: 'The variation of the delay, such as 2ms.',
    loss: 'Lost packets, in percent.',
    corrupt: 'Corrupted packets, in percent.',
    duplicate: 'Duplicated packets, in percent.',
    reorder: 'Reordered packets, in percent.',
    rate: 'The maximum rate, in kbps.',
  },
  pool: {
    ipv4: 'The IPv4 prefix of the pool.',
    ipv6: 'The IPv6 prefix of the pool.',
    prefix: 'The length of the allocated IPv4 prefixes.',
    prefix6: 'The length of the allocated IPv6 prefixes.',
    start: 'The first management address.',
    mac: 'The first MAC address.',
    allocation: 'The assignment of addresses to the ends of a link.',
  },
  addressing: {
    loopback: 'Loopbacks of routers; by default 10.0.0.0/24.',
    lan: 'Links with hosts, or with three nodes or more; by default 172.16.0.0/16.',
    p2p: 'Links between two routers; by default 10.1.0.0/16.',
    mgmt: 'Management addresses of the nodes.',
    router_id: 'Router IDs for labs without IPv4.',
    vrf_loopback: 'Loopbacks of VRFs.',
  },
  _v_entry: {
    description: 'A description of the test.',
    nodes: 'The nodes that run it: a list.',
    devices: 'The supported devices.',
    plugin: "A test function of a plugin, such as ping('h2').",
    exec: 'A command for the node.',
    show: 'A show command with structured output.',
    valid: "A condition for the output, such as '64 bytes' in stdout.",
    wait: 'The time limit for repeated attempts, in seconds.',
    wait_msg: 'The message while the test waits.',
    pass: 'The message when the test passes.',
    fail: 'The message when the test fails.',
    level: 'A failure is only a warning.',
    stop_on_error: 'After a failure, no further test is run.',
    config: 'A configuration template that is deployed as a step of the tests.',
    suzieq: 'A test by SuzieQ.',
    ansible: 'A test by an Ansible playbook.',
  },
  global: {
    name: 'The name of the lab: up to 16 letters, digits and _; by default, the name of its directory.',
    nodes: 'The devices of the lab: a list of names, or a map with attributes.',
    links: 'The links between nodes: a list.',
    defaults: 'Settings for the whole lab, such as defaults.device.',
    provider: 'The provider of the nodes: containers (clab) or virtual machines (libvirt).',
    groups: 'Nodes with common attributes: a map of groups.',
    addressing: 'Address pools.',
    prefix: 'Named prefixes for links.',
    validate: 'Tests of the lab: lab validate runs them.',
    plugin: 'The plugins of netlab that the lab uses: a list.',
    message: 'The message when the lab is up.',
    tools: 'Additional tools.',
    version: 'The minimum version of netlab.',
    vlans: 'VLANs of the lab, by name.',
    vrfs: 'VRFs of the lab, by name.',
    components: 'Components that nodes can include.',
  },
  defaults: {
    device: 'The default device of nodes.',
    provider: 'The default provider of the nodes.',
    multilab: 'Several labs at once: the id of this one, from 1 to 199.',
    devices: 'Settings of devices, such as images.',
    addressing: 'Address pools, unless the topology has them.',
    warnings: 'Disabled warnings.',
    const: 'Constants, such as those of tests.',
    outputs: 'Settings for the output of create.',
  },
};

/** The sentence about a key of a part of netlab's topology; empty without one. */
export const docOf = (part: string, key: string): string =>
  [docs[part] ?? {}, everywhere].find((some) => Object.hasOwn(some, key))?.[key] ?? '';
