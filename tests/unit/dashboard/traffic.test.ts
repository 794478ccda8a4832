import { describe, expect, test } from '@jest/globals';
import type { LabTraffic } from '../../../src/client/api-types.ts';
import {
  lineTraffic,
  lossyLinks,
  widthOf,
  withReading,
} from '../../../web/dashboard/src/pages/lab/picture/traffic.ts';
import { middleOf } from '../../../web/dashboard/src/parts/picture/middle-of.ts';

function reading(readAtMs: number, rxBytes: number, txDrops = 0): LabTraffic {
  const rx = { rxBytes, rxPackets: 0, rxErrors: 0, rxDrops: 0 };
  const counters = { ...rx, txBytes: 0, txPackets: 0, txErrors: 0, txDrops };
  return {
    nodes: [{ node: 'r1', readAtMs, interfaces: [{ interface: 'eth1', link: '1', ...counters }] }],
    unread: [],
  };
}

describe('readings', () => {
  const first = withReading(undefined, reading(1_000, 0));

  test('the first has no rates, and the second has those since the first', () => {
    expect(first.rates).toBeUndefined();
    const second = withReading(first, reading(3_000, 4_000, 1));
    expect(second.rates?.get('1')).toMatchObject([{ rx: { bytes: 2_000 } }]);
    expect(lossyLinks(second.rates)).toBe(1);
    expect(lossyLinks(first.rates)).toBe(0);
  });

  test('the same one again changes nothing', () => {
    const second = withReading(first, reading(3_000, 4_000));
    expect(withReading(second, reading(3_000, 4_000))).toBe(second);
  });

  test('one without any interface has no rates, and waits for none', () => {
    expect(withReading(undefined, { nodes: [], unread: [] }).rates).toEqual(new Map());
  });

  test('a rate is not the average of a long time', () => {
    expect([...(withReading(first, reading(100_000, 4_000)).rates ?? [])]).toEqual([]);
  });
});

test('a line is as wide as the logarithm of its rate', () => {
  expect([0, 100, 250_000_000, 1e12].map(widthOf)).toEqual([1.5, 1.5, 8, 8]);
  const steps = [1e3, 1e4, 1e5].map(widthOf);
  expect(steps[1]! - steps[0]!).toBeCloseTo(steps[2]! - steps[1]!);
});

test('the words of a line name its rate and its lost packets', () => {
  expect(lineTraffic({ bytes: 1_258_291, lost: 0 })).toMatchObject({ words: '1.2 MiB/s', isLossy: false });
  expect(lineTraffic({ bytes: 0, lost: 3 })).toMatchObject({ words: '0 B/s, 3 lost', isLossy: true });
});

test('a rate is in the middle of its line, also around a corner', () => {
  const [start, corner, end] = [
    { x: 0, y: 0 },
    { x: 100, y: 0 },
    { x: 100, y: 300 },
  ];
  expect(middleOf([start, corner])).toEqual({ at: { x: 50, y: 0 }, angle: 0 });
  expect(middleOf([start, corner, end])).toEqual({ at: { x: 100, y: 100 }, angle: 90 });
  expect(middleOf([corner, corner])).toEqual({ at: corner, angle: 0 });
  expect(middleOf([end])).toEqual({ at: end, angle: 0 });
});
