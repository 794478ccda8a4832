import { beforeAll, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import type { BlockList } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { isForbiddenAddress, ownAddresses } from '../../../../src/lib/net/local-address.ts';
import { repoRoot } from '../../../support/repo-files.ts';
import { requirement } from '../../../support/requirements.ts';
import { missingForSandbox, sandboxed } from '../../../support/sandbox.ts';

let own: BlockList;
beforeAll(async () => {
  own = await ownAddresses();
});

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

const forbidden = [
  '0.0.0.0',
  '0.255.255.255',
  '127.0.0.1',
  '127.255.0.1',
  '169.254.0.1',
  '169.254.169.254',
  '100.100.100.200',
];
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
    (address) => expect(isForbiddenAddress(address, own)).toBe(true),
  );

  test.each([...allowed, '240.0.0.1', '255.255.255.254'].flatMap(clothes))('%s leaves', (address) => {
    expect(isForbiddenAddress(address, own)).toBe(false);
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
    'fd00:ec2::254',
    '64:ff9b:1::a01:203',
  ])('%s stays here', (address) => expect(isForbiddenAddress(address, own)).toBe(true));

  test.each(['::8:0:0', '2001:db8::1', 'fd00::1', 'fe7f::1', 'fdff::1', 'fe00::1'])('%s leaves', (address) =>
    expect(isForbiddenAddress(address, own)).toBe(false),
  );
});

test.each(['', 'lab.example', '1.2.3', '%eth0'])('%j is no address, and is not asked', (text) => {
  expect(isForbiddenAddress(text, own)).toBe(true);
});

const interfaces = Object.values(os.networkInterfaces()).flatMap((found) => found ?? []);

test.each(interfaces.flatMap(({ address, family }) => (family === 'IPv4' ? clothes(address) : [address])))(
  '%s is an address of this machine',
  (address) => expect(isForbiddenAddress(address, own)).toBe(true),
);

const missing = requirement('ip').missing ?? missingForSandbox();

(missing === undefined ? test : test.skip)(
  `the kernel names its own addresses: without a carrier, the second of a network, local routes${missing === undefined ? '' : ` (skipped: ${missing})`}`,
  () => {
    const compiled = path.join(repoRoot, 'dist/modules/lib/net/local-address.js');
    const asked = ['198.18.0.1', '64:ff9b::c612:1', '198.18.0.2', '2001:db8::1', '198.19.7.7', '198.18.0.3'];
    const ask = `import('${compiled}').then(async ({ isForbiddenAddress, ownAddresses }) => {
      const own = await ownAddresses();
      process.stdout.write(${JSON.stringify(asked)}.filter((address) => isForbiddenAddress(address, own)).join());
    })`;
    const prepare = [
      'ip link add br0 type bridge',
      'ip addr add 198.18.0.1/24 dev br0',
      'ip addr add 198.18.0.2/24 dev br0',
      'ip addr add 2001:db8::1/64 dev br0',
      'ip link set br0 up',
      'ip route add local 198.19.0.0/16 dev lo',
      'exec "$@"',
    ];
    const [file, ...args] = sandboxed('sh', '-c', prepare.join(' && '), 'sh', process.execPath, '-e', ask);
    expect(execFileSync(file, args, { encoding: 'utf8' })).toBe(asked.slice(0, -1).join());
  },
);
