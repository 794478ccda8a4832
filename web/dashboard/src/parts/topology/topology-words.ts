/** The modules, devices, plugins and providers of netlab 26.10, with short descriptions. */

/** Modules: configuration of nodes. */
export const modules: Readonly<Record<string, string>> = {
  bfd: 'Bidirectional Forwarding Detection.',
  bgp: 'BGP, with autonomous systems and route reflectors.',
  dhcp: 'DHCP clients, relays and servers.',
  eigrp: 'EIGRP.',
  evpn: 'EVPN control plane for VXLAN or MPLS.',
  gateway: 'A shared first-hop gateway: anycast or VRRP.',
  isis: 'IS-IS.',
  lag: 'Link aggregation.',
  mpls: 'LDP, BGP-LU and MPLS VPN.',
  ospf: 'OSPFv2 and OSPFv3.',
  ripv2: 'RIPv2 and RIPng.',
  routing: 'Static routes, prefix lists and routing policies.',
  services: 'Services of hosts, such as DNS.',
  sr: 'Segment routing with MPLS.',
  srv6: 'Segment routing with IPv6.',
  stp: 'Spanning tree.',
  vlan: 'VLANs: access, trunks and routed interfaces.',
  vrf: 'VRFs with route distinguishers and targets.',
  vxlan: 'VXLAN tunnels for VLANs.',
};

/** Devices: operating systems of nodes. */
export const devices: Readonly<Record<string, string>> = {
  arcos: 'Arrcus ArcOS',
  arubacx: 'Aruba AOS-CX',
  asav: 'Cisco ASAv',
  cat8000v: 'Cisco Catalyst 8000v',
  cisco8000v: 'Cisco 8000v',
  crpd: 'Juniper cRPD',
  csr: 'Cisco CSR 1000v',
  csrx: 'Juniper cSRX',
  cumulus: 'Cumulus Linux, configured without NVUE',
  cumulus_nvue: 'Cumulus Linux, configured with NVUE',
  dellos10: 'Dell OS10',
  eos: 'Arista EOS: vEOS or cEOS',
  exos: 'Extreme EXOS',
  fortios: 'Fortinet FortiOS',
  frr: 'FRRouting',
  iol: 'Cisco IOL',
  ioll2: 'Cisco IOL, layer 2',
  iosv: 'Cisco IOSv',
  iosvl2: 'Cisco IOSv, layer 2',
  iosxr: 'Cisco IOS XR: XRv or XRd',
  linux: 'a Linux host',
  'linux-router': 'a Linux router; of the bundled engine alone',
  netscaler: 'Citrix NetScaler',
  none: 'a node without configuration',
  nxos: 'Cisco Nexus 9300v',
  openbsd: 'OpenBSD',
  routeros: 'MikroTik RouterOS 6',
  routeros7: 'MikroTik RouterOS 7',
  sonic: 'SONiC',
  srlinux: 'Nokia SR Linux',
  sros: 'Nokia SR OS',
  srsim: 'Nokia SR-SIM',
  unknown: 'an unknown device, configured without netlab',
  'vjunos-router': 'Juniper vJunos-router',
  'vjunos-switch': 'Juniper vJunos-switch',
  vmx: 'Juniper vMX',
  vpp: 'VPP of FD.io',
  vptx: 'Juniper vPTX',
  vsrx: 'Juniper vSRX',
  vyos: 'VyOS',
};

export const plugins =
  'bgp.domain bgp.originate bgp.policy bgp.session bonding check.config ebgp.multihop ebgp.utils evpn.multihoming fabric files firewall.zonebased kind mlag.vtep multilab multiserver node.clone ospf.areas proxy_arp tunnel.gre tunnel.wireguard vrrp.version'.split(
    ' ',
  );

export const providers = ['clab', 'libvirt', 'external', 'virtualbox'];
