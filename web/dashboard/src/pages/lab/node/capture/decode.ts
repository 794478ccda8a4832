/** Decodes the headers of a packet for one line of a table. */
import {
  ipv4Text,
  ipv6Text,
  macText,
  icmpText,
  icmpv6Text,
  ospfText,
  portsText,
  protocolNames,
  serviceOf,
  tcpFlagsText,
  u16,
} from './protocols.ts';

export interface Decoded {
  readonly source: string;
  readonly destination: string;
  readonly protocol: string;
  readonly about: string;
}

interface Ends {
  readonly source: string;
  readonly destination: string;
}

const etherTypes: Readonly<Record<number, string>> = {
  0x88_cc: 'LLDP',
  0x88_8e: '802.1X',
  0x88_09: 'LACP',
  0x89_02: 'CFM',
  0x88_63: 'PPPoE',
  0x88_64: 'PPPoE',
};

function decodeArp(bytes: Uint8Array, at: number, ends: Ends): Decoded {
  const [sender, target] = [ipv4Text(bytes, at + 14), ipv4Text(bytes, at + 24)];
  const isReply = u16(bytes, at + 6) === 2;
  return {
    ...ends,
    protocol: 'ARP',
    about: isReply ? `${sender} is at ${macText(bytes, at + 8)}` : `who has ${target}? tell ${sender}`,
  };
}

interface Payload {
  readonly bytes: Uint8Array;
  readonly at: number;
  readonly protocol: number;
  readonly ends: Ends;
}

/** Decodes the content of an IP packet, version 4 or 6. */
function decodePayload({ bytes, at, protocol, ends }: Payload): Decoded {
  switch (protocol) {
    case 1:
      return { ...ends, protocol: 'ICMP', about: icmpText(bytes, at) };
    case 58:
      return { ...ends, protocol: 'ICMPv6', about: icmpv6Text(bytes, at) };
    case 6:
    case 17: {
      const ports = [u16(bytes, at), u16(bytes, at + 2)] as const;
      const name = protocol === 6 ? 'TCP' : 'UDP';
      const about = `${portsText(ports)}${protocol === 6 ? ` ${tcpFlagsText(bytes[at + 13] ?? 0)}` : ''}`;
      return { ...ends, protocol: serviceOf(name, ports) ?? name, about };
    }
    case 89:
      return { ...ends, protocol: 'OSPF', about: ospfText(bytes, at) };
    case 4:
      return decodeIpv4(bytes, at);
    case 41:
      return decodeIpv6(bytes, at);
    default:
      return { ...ends, protocol: protocolNames[protocol] ?? `IP ${protocol}`, about: '' };
  }
}

function decodeIpv4(bytes: Uint8Array, at: number): Decoded {
  const ends = { source: ipv4Text(bytes, at + 12), destination: ipv4Text(bytes, at + 16) };
  const protocol = bytes[at + 9] ?? 0;
  const fragmentOffset = (u16(bytes, at + 6) & 0x1f_ff) * 8;
  if (fragmentOffset > 0)
    return {
      ...ends,
      protocol: protocolNames[protocol] ?? 'IPv4',
      about: `fragment, from byte ${fragmentOffset}`,
    };
  const headerBytes = ((bytes[at] ?? 0) & 0x0f) * 4;
  // Such a header could contain itself endlessly.
  if (headerBytes < 20) return { ...ends, protocol: 'IPv4', about: 'invalid header' };
  return decodePayload({ bytes, at: at + headerBytes, protocol, ends });
}

/** Extension headers of IPv6 (RFC 8200, section 4), except fragments. */
const extensions: ReadonlySet<number> = new Set([0, 43, 60]);

function decodeIpv6(bytes: Uint8Array, at: number): Decoded {
  if (bytes.length < at + 40) return { source: '', destination: '', protocol: 'IPv6', about: 'cut short' };
  const ends = { source: ipv6Text(bytes, at + 8), destination: ipv6Text(bytes, at + 24) };
  let protocol = bytes[at + 6] ?? 0;
  let next = at + 40;
  while (extensions.has(protocol) && next < bytes.length) {
    protocol = bytes[next] ?? 0;
    next += ((bytes[next + 1] ?? 0) + 1) * 8;
  }
  if (protocol === 44) return { ...ends, protocol: 'IPv6', about: 'fragment' };
  return decodePayload({ bytes, at: next, protocol, ends });
}

/** Frames of the older format have a length instead of a type (IEEE 802.2). */
function decodeLlc(bytes: Uint8Array, at: number, ends: Ends): Decoded {
  const sap = u16(bytes, at);
  if (sap === 0x42_42) return { ...ends, protocol: 'STP', about: 'spanning tree' };
  if (sap !== 0xfe_fe) return { ...ends, protocol: 'LLC', about: '' };
  const kind = (bytes[at + 7] ?? 0) & 0x1f;
  const names: Readonly<Record<number, string>> = {
    15: 'hello (LAN, level 1)',
    16: 'hello (LAN, level 2)',
    17: 'hello (point to point)',
    18: 'link state (level 1)',
    20: 'link state (level 2)',
    24: 'complete sequence numbers (level 1)',
    25: 'complete sequence numbers (level 2)',
    26: 'partial sequence numbers (level 1)',
    27: 'partial sequence numbers (level 2)',
  };
  return { ...ends, protocol: 'IS-IS', about: names[kind] ?? '' };
}

/** After the label stack, the first four bits are the IP version. */
function decodeMpls(bytes: Uint8Array, at: number, ends: Ends): Decoded {
  const label = (u16(bytes, at) << 4) | ((bytes[at + 2] ?? 0) >> 4);
  let next = at;
  while (next < bytes.length && ((bytes[next + 2] ?? 1) & 1) === 0) next += 4;
  next += 4;
  const version = (bytes[next] ?? 0) >> 4;
  const inner = version === 4 ? decodeIpv4(bytes, next) : version === 6 ? decodeIpv6(bytes, next) : undefined;
  return {
    ...(inner ?? { ...ends, about: '' }),
    protocol: 'MPLS',
    about: `label ${label} ${inner?.protocol ?? ''} ${inner?.about ?? ''}`.trim(),
  };
}

function decodeByType(type: number, bytes: Uint8Array, [at, ends]: readonly [number, Ends]): Decoded {
  if (type <= 1500) return decodeLlc(bytes, at, ends);
  switch (type) {
    case 0x08_00:
      return decodeIpv4(bytes, at);
    case 0x86_dd:
      return decodeIpv6(bytes, at);
    case 0x08_06:
      return decodeArp(bytes, at, ends);
    case 0x88_47:
      return decodeMpls(bytes, at, ends);
    case 0x81_00:
    case 0x88_a8: {
      const inner = decodeByType(u16(bytes, at + 2), bytes, [at + 4, ends]);
      return { ...inner, about: `VLAN ${u16(bytes, at) & 0x0f_ff} ${inner.about}`.trim() };
    }
    default:
      return { ...ends, protocol: etherTypes[type] ?? `0x${type.toString(16).padStart(4, '0')}`, about: '' };
  }
}

/** More nested headers do not fit into a line, and come only from malicious packets. */
const readBytes = 512;

/** Decodes a packet of this LINKTYPE_…. Never throws: returns the known part of a broken packet. */
export function decode(packet: Uint8Array, linkType: number): Decoded {
  const bytes = packet.subarray(0, readBytes);
  const nobody = { source: '', destination: '' };
  switch (linkType) {
    case 1: {
      const ends = { source: macText(bytes, 6), destination: macText(bytes, 0) };
      return decodeByType(u16(bytes, 12), bytes, [14, ends]);
    }
    case 101:
      return (bytes[0] ?? 0) >> 4 === 6 ? decodeIpv6(bytes, 0) : decodeIpv4(bytes, 0);
    // Linux "cooked" captures, of all interfaces or of interfaces without Ethernet.
    case 113:
      return decodeByType(u16(bytes, 14), bytes, [16, { ...nobody, source: macText(bytes, 6) }]);
    case 276:
      return decodeByType(u16(bytes, 0), bytes, [20, { ...nobody, source: macText(bytes, 12) }]);
    default:
      return { ...nobody, protocol: `link type ${linkType}`, about: '' };
  }
}
