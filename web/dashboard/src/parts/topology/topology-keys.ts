/**
 * The keys and values of a netlab topology, in short, for the hints of the editor. The sentences are our own; netlab.tools has the
 * full reference. Names are those of netlab 26.10.
 */

import { modules } from './topology-words.ts';

/** The possible values of a key, if there is a list of them. */
export type Values = 'device' | 'module' | 'node' | 'plugin' | 'provider' | 'boolean' | readonly string[];

export interface KeyInfo {
  /** One sentence. */
  readonly doc: string;
  /** The keys below it. */
  readonly keys?: Readonly<Record<string, KeyInfo>>;
  /** The content below a name that users choose, such as a node. */
  readonly each?: KeyInfo;
  /** An entry, if the value is a list. */
  readonly item?: KeyInfo;
  readonly values?: Values;
}

type Keys = Readonly<Record<string, KeyInfo>>;

const name: KeyInfo = { doc: 'A descriptive name.' };
const moduleKeys: Keys = Object.fromEntries(
  Object.entries(modules).map(([key, doc]) => [key, { doc: `Settings of the module ${key}: ${doc}` }]),
);
const mtu: KeyInfo = { doc: 'The largest packet in bytes, from 64 to 9216.' };
const ipv4: KeyInfo = {
  doc: 'An IPv4 prefix or address; true for one without an address of its own, false for none.',
};
const ipv6: KeyInfo = {
  doc: 'An IPv6 prefix or address; true for link-local addresses alone, false for none.',
};
const allocation: KeyInfo = {
  doc: 'The assignment of addresses to the ends of a link.',
  values: ['p2p', 'sequential', 'id_based'],
};
const unnumbered: KeyInfo = {
  doc: 'Interfaces use the address of the loopback.',
  values: 'boolean',
};
const moduleList: KeyInfo = {
  doc: 'The configured modules: a list.',
  values: 'module',
  item: { doc: 'A module.', values: 'module' },
};
const providerKeys: Keys = {
  clab: { doc: 'Settings for containerlab, such as image, kind, binds and env.' },
  libvirt: { doc: 'Settings for virtual machines of libvirt.' },
};

const interfaceKeys: Keys = {
  ipv4,
  ipv6,
  mtu,
  name: { doc: 'A description of the interface.' },
  node: { doc: 'The node of this end.', values: 'node' },
  ifindex: { doc: 'The number of the interface.' },
  ifname: { doc: 'The name of the interface on the device.' },
  ...moduleKeys,
};

const prefixKeys: Keys = {
  ipv4,
  ipv6,
  allocation,
  pool: { doc: 'The address pool of the prefix.' },
};

const linkKeys: Keys = {
  type: {
    doc: 'The kind of the link; by default, it depends on the number and the roles of its nodes.',
    values: ['p2p', 'lan', 'stub', 'loopback', 'tunnel', 'vlan_member'],
  },
  prefix: {
    doc: 'The prefix of the link, a map with ipv4 and ipv6, or the name of a prefix.',
    keys: prefixKeys,
  },
  pool: { doc: 'The address pool of its prefix.' },
  role: { doc: 'The role of the link, which also chooses its address pool.' },
  name: { doc: 'A name of the link, for descriptions of its interfaces.' },
  interfaces: {
    doc: 'The ends of the link, as a list; other forms are shorter.',
    item: { doc: 'One end.', keys: interfaceKeys, values: 'node' },
  },
  bandwidth: { doc: 'Bandwidth in kbps, as it is configured on interfaces.' },
  bridge: { doc: 'The name of the Linux bridge that the link becomes.' },
  mtu,
  unnumbered,
  disable: { doc: 'Leaves the link out.', values: 'boolean' },
  shutdown: { doc: 'The interfaces are shut down at the start.', values: 'boolean' },
  group: { doc: 'Makes this entry a group of links with common attributes.' },
  members: { doc: 'The links of a group.' },
  linkid: { doc: 'An identifier for plugins that join links.' },
  ra: { doc: 'Router advertisements of IPv6: disable, slaac, dhcp, onlink.' },
  tc: {
    doc: 'Impairment of the link.',
    keys: {
      delay: { doc: 'The delay of packets, such as 10ms.' },
      jitter: { doc: 'The variation of the delay, such as 2ms.' },
      loss: { doc: 'Lost packets, in percent.' },
      corrupt: { doc: 'Corrupted packets, in percent.' },
      duplicate: { doc: 'Duplicated packets, in percent.' },
      reorder: { doc: 'Reordered packets, in percent.' },
      rate: { doc: 'The maximum rate, in kbps.' },
    },
  },
  ...moduleKeys,
};

const link: KeyInfo = {
  doc: 'A link: r1-r2, [r1, r2], or a map with nodes and attributes.',
  keys: linkKeys,
  each: {
    doc: 'The end of the link at this node; nothing, or a map with its addresses.',
    keys: interfaceKeys,
  },
  values: 'node',
};

const nodeKeys: Keys = {
  device: { doc: 'The operating system of the node.', values: 'device' },
  role: { doc: 'The role of the node.', values: ['host', 'router', 'gateway', 'bridge'] },
  id: { doc: 'The number of the node, from 1; addresses are derived from it.' },
  name,
  loopback: {
    doc: 'Whether it has a loopback: true, false, or a map with its addresses.',
    values: 'boolean',
    keys: { ipv4, ipv6, pool: { doc: 'The address pool of the loopback.' } },
  },
  module: moduleList,
  mtu,
  provider: { doc: 'The provider of this node, if it differs from that of the lab.', values: 'provider' },
  box: { doc: 'The Vagrant box of the node.' },
  image: { doc: 'The container image of the node.' },
  cpu: { doc: 'How many processors it has.' },
  memory: { doc: 'Its memory in MiB.' },
  config: { doc: 'Custom configuration templates for the node: a list.' },
  group: { doc: 'The groups that the node is in.' },
  mgmt: { doc: 'Its management interface: ipv4, ipv6, mac, ifname.' },
  router_id: { doc: 'Its router id, an IPv4 address.' },
  skip_config: { doc: 'Templates that are skipped on the node: a list.' },
  unmanaged: { doc: 'The node is not configured.', values: 'boolean' },
  interfaces: { doc: 'Data of its interfaces; links create them.' },
  ...providerKeys,
  ...moduleKeys,
};

const poolKeys: Keys = {
  ipv4: { doc: 'The IPv4 prefix of the pool.' },
  ipv6: { doc: 'The IPv6 prefix of the pool.' },
  prefix: { doc: 'The length of the allocated IPv4 prefixes.' },
  prefix6: { doc: 'The length of the allocated IPv6 prefixes.' },
  start: { doc: 'The first management address.' },
  mac: { doc: 'The first MAC address.' },
  allocation,
  unnumbered,
};

const pool = (doc: string): KeyInfo => ({ doc, keys: poolKeys });

const testKeys: Keys = {
  description: { doc: 'A description of the test.' },
  nodes: {
    doc: 'The nodes that run it: a list.',
    values: 'node',
    item: { doc: 'A node.', values: 'node' },
  },
  devices: {
    doc: 'The supported devices.',
    values: 'device',
    item: { doc: 'A device.', values: 'device' },
  },
  plugin: { doc: "A test function of a plugin, such as ping('h2')." },
  exec: { doc: 'A command for the node.' },
  show: { doc: 'A show command with structured output.' },
  valid: { doc: "A condition for the output, such as '64 bytes' in stdout." },
  wait: { doc: 'The time limit for repeated attempts, in seconds.' },
  wait_msg: { doc: 'The message while the test waits.' },
  pass: { doc: 'The message when the test passes.' },
  fail: { doc: 'The message when the test fails.' },
  level: { doc: 'A failure is only a warning.', values: ['warning'] },
  stop_on_error: { doc: 'After a failure, no further test is run.', values: 'boolean' },
  config: { doc: 'A configuration template that is deployed as a step of the tests.' },
  suzieq: { doc: 'A test by SuzieQ.' },
  ansible: { doc: 'A test by an Ansible playbook.' },
};

/** The whole topology. */
export const topologyInfo: KeyInfo = {
  doc: 'A lab: nodes, links between them, and common settings.',
  keys: {
    name: {
      doc: 'The name of the lab: up to 16 letters, digits and _; by default, the name of its directory.',
    },
    nodes: {
      doc: 'The devices of the lab: a list of names, or a map with attributes.',
      keys: {},
      each: { doc: 'A node.', keys: nodeKeys },
      item: { doc: 'A node: its name, or a map with name and attributes.', keys: nodeKeys },
    },
    links: { doc: 'The links between nodes: a list.', item: link },
    defaults: {
      doc: 'Settings for the whole lab, such as defaults.device.',
      keys: {
        device: { doc: 'The default device of nodes.', values: 'device' },
        provider: { doc: 'The default provider of the nodes.', values: 'provider' },
        multilab: {
          doc: 'Several labs at once: the id of this one.',
          keys: { id: { doc: 'The number of the lab, from 1 to 199.' } },
        },
        devices: { doc: 'Settings of devices, such as images.', each: { doc: 'A device.', keys: {} } },
        addressing: { doc: 'Address pools, unless the topology has them.', each: pool('An address pool.') },
        warnings: { doc: 'Disabled warnings.' },
        const: { doc: 'Constants, such as those of tests.' },
        outputs: { doc: 'Settings for the output of create.' },
      },
    },
    provider: {
      doc: 'The provider of the nodes: containers (clab) or virtual machines (libvirt).',
      values: 'provider',
    },
    groups: {
      doc: 'Nodes with common attributes: a map of groups.',
      keys: { _auto_create: { doc: 'Creates members that are not nodes yet.', values: 'boolean' } },
      each: {
        doc: 'A group: a list of members, or a map with members and attributes.',
        keys: {
          members: {
            doc: 'The nodes of the group, and other groups.',
            values: 'node',
            item: { doc: 'A node, or a group.', values: 'node' },
          },
          vars: { doc: 'Variables of Ansible for the group.' },
          node_data: { doc: 'Attributes of its nodes.', keys: nodeKeys },
          type: { doc: 'The kind of the members.', values: ['node', 'vlan', 'vrf'] },
          _auto_create: { doc: 'Creates members that are not nodes yet.', values: 'boolean' },
          ...nodeKeys,
        },
        item: { doc: 'A member.', values: 'node' },
      },
    },
    module: moduleList,
    addressing: {
      doc: 'Address pools.',
      keys: {
        loopback: pool('Loopbacks of routers; by default 10.0.0.0/24.'),
        lan: pool('Links with hosts, or with three nodes or more; by default 172.16.0.0/16.'),
        p2p: pool('Links between two routers; by default 10.1.0.0/16.'),
        mgmt: pool('Management addresses of the nodes.'),
        router_id: pool('Router IDs for labs without IPv4.'),
        vrf_loopback: pool('Loopbacks of VRFs.'),
      },
      each: pool('A custom address pool: links use it with pool or role.'),
    },
    prefix: {
      doc: 'Named prefixes for links.',
      keys: {},
      each: { doc: 'A named prefix.', keys: prefixKeys },
    },
    validate: {
      doc: 'Tests of the lab: lab validate runs them.',
      keys: {},
      each: { doc: 'A test.', keys: testKeys },
    },
    plugin: {
      doc: 'The plugins of netlab that the lab uses: a list.',
      values: 'plugin',
      item: { doc: 'A plugin.', values: 'plugin' },
    },
    message: { doc: 'The message when the lab is up.' },
    tools: {
      doc: 'Additional tools.',
      keys: {
        edgeshark: { doc: 'Captures in the browser.' },
        graphite: { doc: 'A picture of the lab in the browser.' },
        nso: { doc: 'Cisco NSO.' },
        nuts: { doc: 'Tests with NUTS.' },
        suzieq: { doc: 'SuzieQ, which observes the network.' },
      },
    },
    version: { doc: 'The minimum version of netlab.' },
    vlans: { doc: 'VLANs of the lab, by name.', keys: {}, each: { doc: 'A VLAN.', keys: {} } },
    vrfs: { doc: 'VRFs of the lab, by name.', keys: {}, each: { doc: 'A VRF.', keys: {} } },
    components: { doc: 'Components that nodes can include.', keys: {} },
    input: { doc: 'The source files; netlab writes it.' },
    ...providerKeys,
    libvirt: { doc: 'Settings for virtual machines of libvirt.' },
    ...moduleKeys,
  },
};
