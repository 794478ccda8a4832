import { describe, expect, test } from '@jest/globals';
import {
  commonLength,
  comparePrefixes,
  covers,
  formatAddress,
  formatPrefix,
  networkOf,
  parseAddress,
  parsePrefix,
} from '../../../../src/lib/net/ip.ts';
import type { Prefix } from '../../../../src/lib/net/ip.ts';
import { randomSource } from '../../../support/random-topology.ts';

function prefix(text: string): Prefix {
  const parsed = parsePrefix(text);
  if (parsed === undefined) throw new Error(text);
  return parsed;
}

describe('IPv4', () => {
  test.each([
    ['0.0.0.0', 0n],
    ['10.0.0.1', 0x0a000001n],
    ['255.255.255.255', 0xffffffffn],
  ])('%s', (text, bits) => {
    expect(parseAddress(text, 'ipv4')).toBe(bits);
    expect(formatAddress(bits, 'ipv4')).toBe(text);
  });

  test.each(['', '10.0.0.0.1', '10.0.0.256', '10.0.0.01', ' 10.0.0.1', '10.0.0.1\n', 'a', '::1'])(
    '%j is none',
    (text) => expect(parseAddress(text, 'ipv4')).toBeUndefined(),
  );
});

describe('IPv6', () => {
  test.each([
    ['::', '::'],
    ['::1', '::1'],
    ['1::', '1::'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['2001:0db8:0000:0001:0000:0000:0000:0001', '2001:db8:0:1::1'],
    // RFC 5952, 4.2.2: `::` is not for one group; 4.2.3: the longest run, and the first of two.
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['2001:0:0:1:0:0:0:1', '2001:0:0:1::1'],
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
    ['::ffff:192.0.2.1', '::ffff:c000:201'],
    ['1:2:3:4:5:6:1.2.3.4', '1:2:3:4:5:6:102:304'],
    ['fffe:ffff::', 'fffe:ffff::'],
  ])('%s is %s', (text, canonical) => {
    const bits = parseAddress(text, 'ipv6');
    expect(formatAddress(bits!, 'ipv6')).toBe(canonical);
    expect(parseAddress(canonical, 'ipv6')).toBe(bits);
  });

  test.each([
    '',
    ':',
    ':::',
    '1',
    '1::2::3',
    '1:2:3:4::5:6:7:8::',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4:5:6:7:8::',
    '12345::',
    'g::',
    'fe80::1%eth0',
    '::1.2.3',
    '::1.2.3.4:5',
    '1.2.3.4::',
    ':1',
    '1:',
    '10.0.0.1',
  ])('%j is none', (text) => expect(parseAddress(text, 'ipv6')).toBeUndefined());

  test('what is written is read again, for any address', () => {
    const random = randomSource(1);
    for (let round = 0; round < 500; round += 1) {
      const groups = Array.from({ length: 8 }, () => (random() < 0.5 ? 0 : Math.floor(random() * 65536)));
      const bits = groups.reduce((sum, group) => sum * 65536n + BigInt(group), 0n);
      const text = formatAddress(bits, 'ipv6');
      expect(parseAddress(text, 'ipv6')).toBe(bits);
      // The browser's parser has the same rules (WHATWG URL, host serializing).
      expect(new URL(`http://[${text}]`).hostname).toBe(`[${text}]`);
    }
  });
});

describe('prefixes', () => {
  test.each(['10.0.0.0', '10.0.0.0/33', '10.0.0.0/08', '/8', '10.0.0.0/8/8', 'x/8'])('%j is none', (text) =>
    expect(parsePrefix(text)).toBeUndefined(),
  );

  test('keep the host part until it is taken away', () => {
    expect(formatPrefix(prefix('10.1.2.3/16'))).toBe('10.1.2.3/16');
    expect(formatPrefix(networkOf(prefix('10.1.2.3/16')))).toBe('10.1.0.0/16');
    expect(formatPrefix(networkOf(prefix('2001:db8::5:6/64')))).toBe('2001:db8::/64');
    expect(formatPrefix(networkOf(prefix('10.1.2.3/0')))).toBe('0.0.0.0/0');
    expect(formatPrefix(networkOf(prefix('10.1.2.3/32')))).toBe('10.1.2.3/32');
  });

  test('cover what begins with the same bits and is not wider', () => {
    expect(covers(prefix('10.0.0.0/8'), prefix('10.255.0.0/16'))).toBe(true);
    expect(covers(prefix('10.0.0.0/8'), prefix('10.0.0.0/8'))).toBe(true);
    expect(covers(prefix('10.0.0.0/8'), prefix('11.0.0.0/16'))).toBe(false);
    expect(covers(prefix('10.0.0.0/16'), prefix('10.0.0.0/8'))).toBe(false);
    expect(covers(prefix('0.0.0.0/0'), prefix('::/0'))).toBe(false);
  });

  test('have leading bits in common', () => {
    expect(commonLength(prefix('10.0.0.0/24'), prefix('10.0.1.0/24'))).toBe(23);
    expect(commonLength(prefix('10.0.0.0/24'), prefix('10.0.0.0/30'))).toBe(24);
    expect(commonLength(prefix('0.0.0.0/32'), prefix('128.0.0.0/32'))).toBe(0);
    expect(commonLength(prefix('10.0.0.0/32'), prefix('10.0.0.0/32'))).toBe(32);
    expect(commonLength(prefix('::/128'), prefix('::1/128'))).toBe(127);
  });

  test('sort by address, and the wider one first', () => {
    const texts = ['10.0.0.0/24', '9.0.0.0/8', '10.0.0.0/8', '10.0.0.4/30'];
    const sorted = texts.map(prefix).toSorted(comparePrefixes).map(formatPrefix);
    expect(sorted).toEqual(['9.0.0.0/8', '10.0.0.0/8', '10.0.0.0/24', '10.0.0.4/30']);
    expect(comparePrefixes(prefix('10.0.0.0/8'), prefix('10.0.0.0/8'))).toBe(0);
    // The address decides before the length does.
    expect(comparePrefixes(prefix('9.0.0.0/24'), prefix('10.0.0.0/8'))).toBe(-1);
    expect(comparePrefixes(prefix('10.0.0.0/8'), prefix('9.0.0.0/24'))).toBe(1);
  });
});
