import { expect, test } from '@jest/globals';
import os from 'node:os';
import { certificateNames } from '../../../src/tls/certificate-names.ts';

const own = os.hostname().toLowerCase();
const none: readonly string[] = [];

test('one address: that and loopback, and the names', async () => {
  const { dns, ips } = await certificateNames({ bind: '192.0.2.7', allowedHosts: none });
  expect(dns.slice(0, 2)).toEqual(['localhost', own]);
  expect(ips).toEqual(['127.0.0.1', '::1', '192.0.2.7']);
});

test.each(['0.0.0.0', '::'])('%s: all that the machine has, each once', async (bind) => {
  const { ips } = await certificateNames({ bind, allowedHosts: none });
  const all = Object.values(os.networkInterfaces()).flatMap((found) => found ?? []);
  const ipv4 = all.filter(({ family }) => family === 'IPv4').map(({ address }) => address);
  expect(ips).toEqual(expect.arrayContaining(ipv4));
  expect(ips).not.toContain(bind);
  expect(ips.filter((address) => address.startsWith('fe80'))).toEqual([]);
  expect(new Set(ips).size).toBe(ips.length);
});

test('names of the settings, as a certificate may have them', async () => {
  const allowedHosts = [
    'labs.example.com',
    'bücher.example',
    '198.51.100.9',
    'FE80::1%eth0',
    'not a name',
    '*',
  ];
  const { dns, ips } = await certificateNames({ bind: 'lab-9.example.com', allowedHosts });
  expect(dns).toEqual(
    expect.arrayContaining(['lab-9.example.com', 'labs.example.com', 'xn--bcher-kva.example']),
  );
  expect(dns.filter((name) => /[^a-z0-9._-]/.test(name))).toEqual([]);
  expect(ips).toEqual(expect.arrayContaining(['198.51.100.9', 'fe80::1']));
});
