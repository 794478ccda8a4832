import { describe, expect, test } from '@jest/globals';
import { formatPrefix, parsePrefix, type Family } from '../../../../src/lib/net/ip.ts';
import { checkedNetwork, reservedRange } from '../../../../src/engine/topology/checked-network.ts';
import {
  checkValues,
  defaultsSchema,
  headSchema,
  interfaceSchema,
  linkSchema,
  loopbackSchema,
  nodeSchema,
} from '../../../../src/engine/topology/topology-schema.ts';
import { readingOf, textsOf } from '../../../support/topologies.ts';

const unsupported = 'that the bundled engine does not support; install netlab to use it';

/** The values that the schema reads from a map, or every error. */
function read(schema: Parameters<typeof checkValues>[0], text: string, where = 'x'): unknown {
  const reading = readingOf(text);
  const values = checkValues(schema, reading.source.root, { ...reading, where });
  const errors = textsOf(reading.findings.errors);
  expect(values === undefined).toBe(errors.length > 0);
  return values ?? errors;
}

describe('ranges that no interface may use', () => {
  test.each([
    ['0.0.0.0/8', 'local range 0.0.0.0/8'],
    ['1.0.0.0/32', undefined],
    ['127.0.0.1/32', 'loopback range 127.0.0.0/8'],
    ['224.0.0.0/4', 'multicast range 224.0.0.0/4'],
    ['255.255.255.255/32', 'class E range 240.0.0.0/4'],
    ['::1/128', 'loopback range ::1/128'],
    ['ff02::1/128', 'multicast range ff00::/8'],
    ['fe80::1/128', undefined],
  ])('%s: %s', (text, range) => expect(reservedRange(parsePrefix(text)!)).toBe(range));
});

test.each<[unknown, Family | undefined, string]>([
  ['10.9.0.0/24', undefined, '10.9.0.0/24'],
  ['2001:DB8::/64', undefined, '2001:db8::/64'],
  ['10.9.0.0/24', 'ipv6', 'must be an IPv6 prefix such as 2001:db8::/64, not "10.9.0.0/24"'],
  ['2001:db8::/64', 'ipv4', 'must be an IPv4 prefix such as 10.9.0.0/24, not "2001:db8::/64"'],
  [undefined, undefined, 'must be an IPv4 or IPv6 prefix such as 10.9.0.0/24, not nothing'],
  [['10.9.0.0/24'], 'ipv4', 'must be an IPv4 prefix such as 10.9.0.0/24, not ["10.9.0.0/24"]'],
  ['x'.repeat(58), 'ipv4', `must be an IPv4 prefix such as 10.9.0.0/24, not "${'x'.repeat(58)}"`],
  ['x'.repeat(59), 'ipv4', `must be an IPv4 prefix such as 10.9.0.0/24, not "${'x'.repeat(59)}…`],
  ['10.9.0.1/24', undefined, '"10.9.0.1/24" has host bits set; in a prefix, they must be zero'],
  ['127.1.0.0/16', 'ipv4', '"127.1.0.0/16" is in the loopback range 127.0.0.0/8, which no interface may use'],
])('the network %j of family %s: %s', (text, family, expected) => {
  const network = checkedNetwork(text, family);
  expect(typeof network === 'string' ? network : formatPrefix(network)).toBe(expected);
});

describe('the address of an interface', () => {
  const prefix = (text: string) => ({ kind: 'prefix', prefix: parsePrefix(text) });

  test.each([
    ['{ipv4: false, ipv6: true}', { ipv4: { kind: 'none' }, ipv6: { kind: 'unnumbered' } }],
    ['{ipv4: 0, ipv6: 7}', { ipv4: { kind: 'host', index: 0n }, ipv6: { kind: 'host', index: 7n } }],
    [
      '{ipv4: 10.0.0.1/24, ipv6: "2001:db8::1/64"}',
      { ipv4: prefix('10.0.0.1/24'), ipv6: prefix('2001:db8::1/64') },
    ],
    [
      '{ipv4: 0.0.0.9, ipv6: "::9"}',
      { ipv4: { kind: 'address', bits: 9n }, ipv6: { kind: 'address', bits: 9n } },
    ],
    ['{}', {}],
  ])('%s', (text, expected) => expect(read(interfaceSchema, text)).toEqual(expected));

  test.each([
    ['ipv4', '-1', 'must be an IPv4 address, a host number or false, not -1'],
    ['ipv4', '1.5', 'must be an IPv4 address, a host number or false, not 1.5'],
    ['ipv4', '', 'must be an IPv4 address, a host number or false, not null'],
    ['ipv6', '10.0.0.1', 'must be an IPv6 address, a host number or false, not "10.0.0.1"'],
    ['ipv6', '10.0.0.1/24', 'must be an IPv6 prefix such as 2001:db8::/64, not "10.0.0.1/24"'],
    ['ipv4', '127.0.0.1/8', '"127.0.0.1/8" is in the loopback range 127.0.0.0/8, which no interface may use'],
    ['ipv4', 'dhcp', 'must not be dhcp, which the bundled engine does not support; install netlab to use it'],
  ])('not %s: %s', (family, value, error) => {
    expect(read(interfaceSchema, `${family}: ${value}\n`)).toEqual([
      `1:${value === '' ? 1 : 7} x.${family} ${error}`,
    ]);
  });
});

test.each([
  ['{ipv4: 10.0.0.9/24, ipv6: false, pool: x}', { ipv4: parsePrefix('10.0.0.9/24'), ipv6: false, pool: 'x' }],
  ['{ipv4: true}', { ipv4: true }],
  ['{ipv4: 10.0.0.9}', ['1:8 x.ipv4 must be an IPv4 prefix such as 10.9.0.0/24, not "10.0.0.9"']],
  [
    '{ipv6: ff02::1/64}',
    ['1:8 x.ipv6 "ff02::1/64" is in the multicast range ff00::/8, which no interface may use'],
  ],
])('the loopback %s', (text, expected) => expect(read(loopbackSchema, text)).toEqual(expected));

describe('whole numbers', () => {
  const id = (value: string) => read(nodeSchema(300), `id: ${value}\n`);
  const wrong = (value: string) => [`1:5 x.id must be a whole number from 1 to 300, not ${value}`];

  test.each(['1', '300', '"300"', '0x1f', '"007"'])('%s', (value) => {
    expect(id(value)).toEqual({ id: Number(value.replaceAll('"', '')) });
  });

  test.each(['0', '301', '1.5', '"301"', '"1.5"', '" 7"', '"7 "', '"0000000007"', 'true', '[7]', '".7"'])(
    'not %s',
    (value) => expect(id(value)).toEqual(wrong(value)),
  );

  test.each([
    ['mtu: 9216', { mtu: 9216 }],
    ['mtu: 63', ['1:6 x.mtu must be a whole number from 64 to 9216, not 63']],
  ])('%s', (text, expected) => {
    for (const schema of [nodeSchema(9), linkSchema, interfaceSchema])
      expect(read(schema, text)).toEqual(expected);
  });
});

describe('words', () => {
  test.each([
    [
      '{type: p2p, pool: a, role: b, unnumbered: true, disable: false}',
      { type: 'p2p', pool: 'a', role: 'b', unnumbered: true, disable: false },
    ],
    ['type: lna', ['1:7 x.type must be one of p2p, lan, stub, loopback, not "lna"']],
    ['type: tunnel', [`1:7 x.type "tunnel" is a value of netlab ${unsupported}`]],
    ['pool: 7', ['1:7 x.pool must be a word, not 7']],
    ['unnumbered: false', ['1:13 x.unnumbered must be true or absent']],
    ['disable: 1', ['1:10 x.disable must be true or false']],
  ])('of a link: %s', (text, expected) => expect(read(linkSchema, text)).toEqual(expected));

  const help =
    'must begin with a letter or an underscore and have at most 16 letters, digits, underscores and hyphens';

  test.each([
    ['{name: _a-9, message: x y, provider: z}', { name: '_a-9', message: 'x y', provider: 'z' }],
    ['name: abcdefghijklmnop', { name: 'abcdefghijklmnop' }],
    ['name: abcdefghijklmnopq', [`1:7 name ${help}, unlike "abcdefghijklmnopq"`]],
  ])('of the head: %s', (text, expected) => expect(read(headSchema, text, '')).toEqual(expected));
});

test.each([
  ['const.MAX_NODE_ID: 65535', { const: { MAX_NODE_ID: 65_535 } }],
  [
    'const.MAX_NODE_ID: 65536',
    ['1:20 x.const.MAX_NODE_ID must be a whole number from 1 to 65535, not 65536'],
  ],
  ['multilab: {id: 0}', ['1:16 x.multilab.id must be a whole number from 1 to 200, not 0']],
  ['multilab: 7', ['1:11 x.multilab must be a map']],
  ['const: [7]', ['1:8 x.const must be a map']],
])('the defaults %s', (text, expected) => expect(read(defaultsSchema, text)).toEqual(expected));
