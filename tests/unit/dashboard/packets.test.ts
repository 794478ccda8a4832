/**
 * Decodes packets of a file that tcpdump wrote at a node of a lab; the expected values are the output of `tcpdump -nner`.
 */
import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { decode } from '../../../web/dashboard/src/pages/lab/node/capture/decode.ts';
import { PcapReader } from '../../../web/dashboard/src/pages/lab/node/capture/pcap.ts';

const file = new Uint8Array(readFileSync(path.resolve('tests/fixtures/packets.pcap')));
const reader = new PcapReader();
const packets = reader.push(file);
const decoded = packets.map(({ bytes }) => decode(bytes, reader.linkType));

const h1 = '172.16.0.4';
const r1 = '172.16.0.1';
const h1Mac = 'e2:1f:11:35:59:af';
const r1Mac = '2a:3f:9d:4a:1d:ef';
const h1Local = 'fe80::e01f:11ff:fe35:59af';
const r1Local = 'fe80::283f:9dff:fe4a:1def';

describe('the file', () => {
  test('has all packets, with their times and lengths', () => {
    expect(packets).toHaveLength(30);
    expect(packets[0]).toMatchObject({ number: 1, length: 42 });
    expect(new Date((packets[0]?.time ?? 0) * 1000).toISOString()).toBe('2026-11-22T09:56:41.108Z');
    expect(packets[4]).toMatchObject({ number: 5, length: 1514 });
  });

  test('is read the same in pieces of any size', () => {
    for (const size of [1, 7, 16, 24, 1000]) {
      const piecewise = new PcapReader();
      const found = [];
      for (let at = 0; at < file.length; at += size)
        found.push(...piecewise.push(file.subarray(at, at + size)));
      expect(found).toEqual(packets);
    }
  });

  test('equals its header and its records in a row', () => {
    const parts = [reader.header ?? new Uint8Array(), ...packets.map(({ record }) => record)];
    expect(Buffer.compare(Buffer.concat(parts), file)).toBe(0);
  });

  test('may have the other byte order, and nanoseconds', () => {
    const bytes = Buffer.alloc(24 + 16 + 2);
    bytes.writeUInt32BE(0xa1_b2_3c_4d, 0);
    bytes.writeUInt32BE(101, 20);
    bytes.writeUInt32BE(5, 24);
    bytes.writeUInt32BE(250_000_000, 28);
    bytes.writeUInt32BE(2, 32);
    bytes.writeUInt32BE(99, 36);
    const other = new PcapReader();
    expect(other.push(bytes)).toMatchObject([{ time: 5.25, length: 99 }]);
    expect(other.linkType).toBe(101);
  });

  test('is refused in another format', () => {
    expect(() => new PcapReader().push(new Uint8Array(24))).toThrow('not in pcap format');
    const tooLong = Buffer.from(file.subarray(0, 40));
    tooLong.writeUInt32LE(0x7f_ff_ff_ff, 32);
    expect(() => new PcapReader().push(tooLong)).toThrow('too long');
  });
});

test.each<readonly [number, ...string[]]>([
  [1, h1Mac, 'ff:ff:ff:ff:ff:ff', 'ARP', `who has ${r1}? tell ${h1}`],
  [2, r1Mac, h1Mac, 'ARP', `${r1} is at ${r1Mac}`],
  [3, h1, r1, 'ICMP', 'echo request, seq 1, id 30203'],
  [4, r1, h1, 'ICMP', 'echo reply, seq 1, id 30203'],
  [6, h1, r1, 'ICMP', 'fragment, from byte 1480'],
  [7, h1, r1, 'ICMP', 'fragment, from byte 2960'],
  [11, h1Local, 'ff02::1', 'ICMPv6', 'echo request, seq 1, id 30205'],
  [13, h1, '224.0.0.5', 'OSPF', 'v2 hello'],
  [14, h1, r1, 'ICMP', 'VLAN 42 echo request, seq 3, id 7'],
  [15, h1, r1, 'MPLS', 'label 1001 ICMP echo request, seq 3, id 7'],
  [16, h1Mac, '01:80:c2:00:00:0e', 'LLDP', ''],
  [17, h1Mac, '01:80:c2:00:00:00', 'STP', 'spanning tree'],
  [18, h1Mac, '01:80:c2:00:00:14', 'IS-IS', 'hello (LAN, level 1)'],
  [19, h1, r1, 'BFD', '49152 → 3784'],
  [20, h1, r1, 'GRE', ''],
  [21, h1, r1, 'BGP', '48350 → 179 [SYN]'],
  [22, r1, h1, 'BGP', '179 → 48350 [RST ACK]'],
  [23, h1, r1, 'DNS', '43391 → 53'],
  [24, r1, h1, 'ICMP', 'unreachable: port'],
  [25, r1Local, h1Local, 'ICMPv6', 'neighbor solicitation'],
  [26, h1Local, r1Local, 'ICMPv6', 'neighbor advertisement'],
])('packet %i: %s to %s is %s %s', (number, ...expected) => {
  const [source, destination, protocol, about] = expected;
  expect(decoded[number - 1]).toEqual({ source, destination, protocol, about });
});

test('a truncated or invalid packet is decoded as far as possible', () => {
  for (const { bytes } of packets)
    for (let length = 0; length < Math.min(bytes.length, 80); length += 1)
      for (const linkType of [1, 101, 113, 276, 147])
        expect(typeof decode(bytes.subarray(0, length), linkType).protocol).toBe('string');
});

describe('a hostile packet', () => {
  test('has a header of length zero that contains itself', () => {
    const bytes = new Uint8Array(60);
    bytes.set([0x08, 0x00, 0x40], 12);
    bytes[14 + 9] = 4;
    expect(decode(bytes, 1)).toMatchObject({ protocol: 'IPv4', about: 'invalid header' });
  });

  test('consists of tags', () => {
    const bytes = new Uint8Array(262_144).map((_, index) => [0x81, 0x00, 0x00, 0x01][index % 4] ?? 0);
    expect(decode(bytes, 1).about).toMatch(/^VLAN 1 VLAN 1 /);
  });
});
