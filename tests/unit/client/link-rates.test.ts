import { describe, expect, test } from '@jest/globals';
import type { InterfaceTraffic, LabTraffic } from '../../../src/client/api-types.ts';
import { isSameReading, rateOf, ratesBetween } from '../../../src/client/link-rates.ts';

const zero = {
  rxBytes: 0,
  rxPackets: 0,
  rxErrors: 0,
  rxDrops: 0,
  txBytes: 0,
  txPackets: 0,
  txErrors: 0,
  txDrops: 0,
};

type Counters = Partial<Omit<InterfaceTraffic, 'interface' | 'link'>>;

/** A reading at that time: by node, the counters of its `eth1` at link 1. */
function reading(readAtMs: number, nodes: Readonly<Record<string, Counters>>): LabTraffic {
  return {
    nodes: Object.entries(nodes).map(([node, counters]) => ({
      node,
      readAtMs,
      interfaces: [{ interface: 'eth1', link: '1', ...zero, ...counters }],
    })),
    unread: [],
  };
}

describe('the rates between two readings', () => {
  test('are the differences by second, and lost frames by count', () => {
    const before = reading(10_000, { r1: { rxBytes: 1_000, txPackets: 5, rxDrops: 1 } });
    const now = reading(12_000, { r1: { rxBytes: 5_000, txPackets: 9, rxDrops: 4, txErrors: 2 } });
    const nothing = { bytes: 0, packets: 0, errors: 0, drops: 0 };
    expect([...ratesBetween(before, now)]).toEqual([
      [
        '1',
        [
          {
            node: 'r1',
            interface: 'eth1',
            rx: { ...nothing, bytes: 2_000, drops: 3 },
            tx: { ...nothing, packets: 2, errors: 2 },
          },
        ],
      ],
    ]);
  });

  test.each([
    ['the counters began again', reading(10_000, { r1: { rxBytes: 1_000, txBytes: 7 } })],
    ['one of the counters began again', reading(10_000, { r1: { txDrops: 1 } })],
    ['the times are equal', reading(12_000, { r1: {} })],
    ['the clock began again', reading(99_000, { r1: {} })],
    ['the interface is new', reading(10_000, { r2: {} })],
    ['the reading before is old', reading(1_000, { r1: {} })],
    ['there was no reading', { nodes: [], unread: [] }],
  ])('has none when %s', (_case, before) => {
    const now = reading(12_000, { r1: { rxBytes: 900, txBytes: 50 }, r3: {} });
    expect([...ratesBetween(before, now, 10_000)]).toEqual([]);
  });

  test('of an interface with another link now has none', () => {
    const before = reading(10_000, { r1: {} });
    const [node] = reading(12_000, { r1: {} }).nodes;
    const moved = { ...node!, interfaces: node!.interfaces.map((one) => ({ ...one, link: '2' })) };
    expect([...ratesBetween(before, { nodes: [moved], unread: [] })]).toEqual([]);
  });
});

test('each node has its own time', () => {
  const before = reading(10_000, { r1: {}, r2: {} });
  const [r1] = reading(11_000, { r1: { txBytes: 100 } }).nodes;
  const [r2] = reading(14_000, { r2: { txBytes: 100 } }).nodes;
  const ends = ratesBetween(before, { nodes: [r1!, r2!], unread: [] }).get('1');
  expect(ends?.map(({ tx }) => tx.bytes)).toEqual([100, 25]);
});

describe('the rate of a link', () => {
  const ends = [
    ...(ratesBetween(
      reading(0, { r1: {}, r2: {}, r3: {} }),
      reading(1_000, {
        r1: { txBytes: 100, rxBytes: 30, txDrops: 1 },
        r2: { txBytes: 30, rxBytes: 90, rxErrors: 2 },
        r3: { rxBytes: 90 },
      }),
    ).get('1') ?? []),
  ];

  test('counts each frame where it is sent', () => {
    expect(rateOf(ends.slice(0, 2))).toEqual({ bytes: 130, lost: 3 });
    expect(rateOf(ends)).toEqual({ bytes: 130, lost: 3 });
  });

  test('with one known end counts everything that this end sends and receives', () => {
    expect(rateOf(ends.slice(1, 2))).toEqual({ bytes: 120, lost: 2 });
    expect(rateOf(ends, 'r3')).toEqual({ bytes: 90, lost: 0 });
  });

  test('at a node with two ends counts what both send and receive', () => {
    const twice = ends.map((end) => ({ ...end, node: 'r1' }));
    expect(rateOf(twice, 'r1')).toEqual({ bytes: 340, lost: 3 });
  });

  test('is unknown without an end', () => {
    expect(rateOf([])).toBeUndefined();
    expect(rateOf(ends, 'r9')).toBeUndefined();
  });
});

test('a reading that is shared is the same one', () => {
  const one = reading(10_000, { r1: {} });
  expect(isSameReading(one, reading(10_000, { r1: { rxBytes: 5 } }))).toBe(true);
  expect(isSameReading(one, reading(10_010, { r1: {} }))).toBe(false);
  expect(isSameReading(one, reading(10_000, { r1: {}, r2: {} }))).toBe(false);
});
