import { describe, expect, test } from '@jest/globals';
import { RefusalLimit } from '../../../../src/access/audit/audit.ts';

const times = (count: number, action: () => boolean): number =>
  Array.from({ length: count }, action).filter(Boolean).length;

describe('refused requests', () => {
  test('of one address get thirty lines; the rest is counted, once', () => {
    const limit = new RefusalLimit();
    expect(times(1_000, () => limit.admits('192.0.2.1'))).toBe(30);
    expect(limit.admits('192.0.2.2')).toBe(true);
    expect(limit.take()).toEqual([{ address: '192.0.2.1', count: 970 }]);
    expect(limit.take()).toEqual([]);
    expect(limit.admits('192.0.2.1')).toBe(true);
  });

  test('of all addresses together get three hundred', () => {
    const limit = new RefusalLimit();
    let address = 0;
    expect(times(5_000, () => limit.admits(`10.0.0.${(address += 1) % 150}`))).toBe(300);
    expect(limit.take().reduce((sum, { count }) => sum + count, 0)).toBe(4_700);
  });

  test('of addresses beyond two hundred are counted together', () => {
    const limit = new RefusalLimit();
    for (let address = 1; address <= 200; address += 1) limit.admits(`10.0.0.${address}`);
    expect(times(10_000, () => limit.admits(`10.1.0.${Math.random()}`))).toBe(30);
    expect(limit.take()).toEqual([{ address: undefined, count: 9_970 }]);
  });
});
