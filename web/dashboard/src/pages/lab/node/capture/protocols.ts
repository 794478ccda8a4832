/** Names of protocols in IP packets, as assigned by IANA and in the RFCs of each protocol. */

const hex = (byte: number): string => byte.toString(16).padStart(2, '0');

export function macText(bytes: Uint8Array, at: number): string {
  return Array.from(bytes.subarray(at, at + 6), hex).join(':');
}

export function ipv4Text(bytes: Uint8Array, at: number): string {
  return bytes.subarray(at, at + 4).join('.');
}

/** In the format of RFC 5952: the longest run of zeros, of at least two groups, is left out. */
export function ipv6Text(bytes: Uint8Array, at: number): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, 16);
  const groups = Array.from({ length: 8 }, (_, index) => view.getUint16(index * 2).toString(16)).join(':');
  const runs = [...groups.matchAll(/(?:^|(?<=:))0(?::0)+(?=:|$)/g)];
  const [first] = runs.toSorted((one, other) => other[0].length - one[0].length);
  if (first === undefined) return groups;
  const before = groups.slice(0, first.index).replace(/:$/, '');
  const after = groups.slice(first.index + first[0].length).replace(/^:/, '');
  return `${before}::${after}`;
}

export const protocolNames: Readonly<Record<number, string>> = {
  1: 'ICMP',
  2: 'IGMP',
  6: 'TCP',
  17: 'UDP',
  46: 'RSVP',
  47: 'GRE',
  50: 'ESP',
  51: 'AH',
  58: 'ICMPv6',
  88: 'EIGRP',
  89: 'OSPF',
  103: 'PIM',
  112: 'VRRP',
  115: 'L2TP',
  132: 'SCTP',
};

const services: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  TCP: {
    22: 'SSH',
    23: 'Telnet',
    53: 'DNS',
    80: 'HTTP',
    179: 'BGP',
    443: 'HTTPS',
    646: 'LDP',
    830: 'NETCONF',
  },
  UDP: {
    53: 'DNS',
    67: 'DHCP',
    68: 'DHCP',
    123: 'NTP',
    161: 'SNMP',
    162: 'SNMP',
    443: 'QUIC',
    514: 'Syslog',
    520: 'RIP',
    521: 'RIPng',
    546: 'DHCPv6',
    547: 'DHCPv6',
    646: 'LDP',
    1985: 'HSRP',
    3784: 'BFD',
    3785: 'BFD',
    4784: 'BFD',
    4789: 'VXLAN',
    5353: 'mDNS',
  },
};

/** The service at one of the two ports; undefined when neither is known. */
export function serviceOf(transport: 'TCP' | 'UDP', ports: readonly number[]): string | undefined {
  return ports.map((port) => services[transport]?.[port]).find((name) => name !== undefined);
}

export const portsText = ([from, to]: readonly [number, number]): string => `${from} → ${to}`;

const tcpFlags = ['FIN', 'SYN', 'RST', 'PSH', 'ACK', 'URG'];

export function tcpFlagsText(flags: number): string {
  return `[${tcpFlags.filter((_, bit) => flags & (1 << bit)).join(' ')}]`;
}

/** Reads two bytes of a packet; bytes that were cut off count as 0. */
export const u16 = (bytes: Uint8Array, at: number): number => ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);

/** The identifier and the sequence number, which match a reply with its request. */
const echoText = (bytes: Uint8Array, at: number): string =>
  `seq ${u16(bytes, at + 6)}, id ${u16(bytes, at + 4)}`;

const unreachable = ['network', 'host', 'protocol', 'port', 'fragmentation needed', 'source route'];

export function icmpText(bytes: Uint8Array, at: number): string {
  const [type = 0, code = 0] = bytes.subarray(at, at + 2);
  switch (type) {
    case 0:
      return `echo reply, ${echoText(bytes, at)}`;
    case 3:
      return `unreachable: ${unreachable[code] ?? `code ${code}`}`;
    case 5:
      return 'redirect';
    case 8:
      return `echo request, ${echoText(bytes, at)}`;
    case 9:
      return 'router advertisement';
    case 10:
      return 'router solicitation';
    case 11:
      return 'time exceeded';
    default:
      return `type ${type}, code ${code}`;
  }
}

const icmpv6Names: Readonly<Record<number, string>> = {
  1: 'unreachable',
  2: 'packet too big',
  3: 'time exceeded',
  4: 'parameter problem',
  130: 'multicast listener query',
  131: 'multicast listener report',
  132: 'multicast listener done',
  133: 'router solicitation',
  134: 'router advertisement',
  135: 'neighbor solicitation',
  136: 'neighbor advertisement',
  137: 'redirect',
  143: 'multicast listener report',
};

export function icmpv6Text(bytes: Uint8Array, at: number): string {
  const [type = 0, code = 0] = bytes.subarray(at, at + 2);
  if (type === 128) return `echo request, ${echoText(bytes, at)}`;
  if (type === 129) return `echo reply, ${echoText(bytes, at)}`;
  return icmpv6Names[type] ?? `type ${type}, code ${code}`;
}

const ospfTypes = [
  'hello',
  'database description',
  'link state request',
  'link state update',
  'link state acknowledgment',
];

export function ospfText(bytes: Uint8Array, at: number): string {
  const [version = 0, type = 0] = bytes.subarray(at, at + 2);
  return `v${version} ${ospfTypes[type - 1] ?? `type ${type}`}`;
}
