import { describe, expect, test } from '@jest/globals';
import os from 'node:os';
import { isForbiddenAddress } from '../../../../src/lib/net/local-address.ts';

/** An IPv4 address in the IPv6 clothes of RFC 4291, RFC 6052 and RFC 3056. */
function clothes(address: string): string[] {
  const bytes = address.split('.').map((part) => Number(part).toString(16).padStart(2, '0'));
  const sixToFour = `2002:${bytes[0]}${bytes[1]}:${bytes[2]}${bytes[3]}::1`;
  return [
    address,
    `::ffff:${address}`,
    `::${address}`,
    `::ffff:0:${address}`,
    `64:ff9b::${address}`,
    sixToFour,
  ];
}

const forbidden = ['0.0.0.0', '0.255.255.255', '127.0.0.1', '127.255.0.1', '169.254.0.1', '169.254.169.254'];
const allowed = [
  '1.0.0.0',
  '8.8.8.8',
  '126.255.255.255',
  '128.0.0.1',
  '169.253.255.255',
  '169.255.0.0',
  '223.255.255.255',
];

describe('an IPv4 address, whatever its clothes', () => {
  test.each([...forbidden, '224.0.0.1', '239.255.255.255', '255.255.255.255'].flatMap(clothes))(
    '%s stays here',
    (address) => expect(isForbiddenAddress(address)).toBe(true),
  );

  test.each([...allowed, '240.0.0.1', '255.255.255.254'].flatMap(clothes))('%s leaves', (address) => {
    expect(isForbiddenAddress(address)).toBe(false);
  });
});

describe('an IPv6 address', () => {
  test.each([
    '::',
    '::1',
    'fe80::1',
    'febf:ffff::1',
    'fe80::1%eth0',
    'fec0::1',
    'feff::1',
    'ff00::1',
    'ff02::1',
  ])('%s stays here', (address) => expect(isForbiddenAddress(address)).toBe(true));

  test.each(['::8:0:0', '2001:db8::1', 'fd00::1', 'fe7f::1', 'fdff::1', 'fe00::1'])('%s leaves', (address) =>
    expect(isForbiddenAddress(address)).toBe(false),
  );
});

test.each(['', 'lab.example', '1.2.3', '%eth0'])('%j is no address, and is not asked', (text) => {
  expect(isForbiddenAddress(text)).toBe(true);
});

const own = Object.values(os.networkInterfaces()).flatMap((found) => found ?? []);

test.each(own.flatMap(({ address, family }) => (family === 'IPv4' ? clothes(address) : [address])))(
  '%s is an address of this machine',
  (address) => expect(isForbiddenAddress(address)).toBe(true),
);
