import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { interfacesOf, parseNetDev, uptimeMs } from '../../../../src/labs/drivers/net-dev.ts';
import { parseReadings } from '../../../../src/labs/drivers/engine/engine-interfaces.ts';

const head = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
`;
const eth1 = {
  rxBytes: 1,
  rxPackets: 2,
  rxErrors: 3,
  rxDrops: 4,
  txBytes: 9,
  txPackets: 10,
  txErrors: 11,
  txDrops: 12,
};

test('the first four columns of each direction are read', () => {
  const read = parseNetDev(`${head}  eth1: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n`);
  expect([...read]).toEqual([['eth1', eth1]]);
});

test('names may have odd characters, and long numbers follow the colon at once', () => {
  const line = (name: string): string =>
    `${name.padStart(6)}:1234567890123 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16`;
  const names = ['=lab-1-h1', '|', 'eth1.100', '1 '.trim(), 'ä', '123456789012345'];
  const read = parseNetDev(`${head}${names.map(line).join('\n')}\n`);
  expect([...read.keys()]).toEqual(names);
  expect(read.get('|')).toEqual({ ...eth1, rxBytes: 1_234_567_890_123 });
});

test('a counter is never more than JSON can tell exactly', () => {
  const read = parseNetDev(`${head}eth1: ${2n ** 64n - 1n} 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n`);
  expect(read.get('eth1')?.rxBytes).toBe(Number.MAX_SAFE_INTEGER);
});

test('this process has a loopback; a process that is gone has nothing', async () => {
  expect((await interfacesOf(process.pid))?.get('lo')?.rxErrors).toBe(0);
  expect(await interfacesOf(2 ** 22)).toBeUndefined();
});

test('the time is that of the machine', () => {
  const before = Number.parseFloat(readFileSync('/proc/uptime', 'utf8')) * 1_000;
  expect(uptimeMs()).toBeGreaterThanOrEqual(Math.floor(before));
  expect(uptimeMs()).toBeLessThan(before + 60_000);
});

test('of the readings of many namespaces, those that are gone or cut short are left out', () => {
  const line = '=lab-1-h3: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n';
  const whole = `/lab-1-h1\n12.34 56.78\n${head}${line}`;
  const output = `${whole}/lab-1-gone\n/lab-1-h2\n12.35 56.78\n${head}  eth1: 1 2 3 4 5 6 7 8 9 1`;
  const read = parseReadings(output);
  expect([...read]).toEqual([
    ['lab-1-h1', { readAtMs: 12_340, interfaces: new Map([['=lab-1-h3', eth1]]) }],
    ['lab-1-h2', { readAtMs: 12_350, interfaces: new Map() }],
  ]);
  expect([...parseReadings('')]).toEqual([]);
  expect([...parseReadings('/lab-1-h1\n')]).toEqual([]);
});
