import { describe, expect, test } from '@jest/globals';
import { comparePrefixes, covers, formatPrefix, networkOf, parsePrefix } from '../../../../src/lib/net/ip.ts';
import type { Prefix } from '../../../../src/lib/net/ip.ts';
import { connected, PrefixTree, unreachable } from '../../../../src/engine/routing/prefix-tree.ts';
import { randomSource } from '../../../support/random-topology.ts';
import { seeds } from '../../../support/thorough.ts';

function prefixes(texts: readonly string[]): Prefix[] {
  return texts.flatMap((text) => parsePrefix(text) ?? []).toSorted(comparePrefixes);
}

function routes(table: Readonly<Record<string, number>>, base = unreachable): string[] {
  const destinations = prefixes(Object.keys(table));
  const hops = Int32Array.from(destinations, (prefix) => table[formatPrefix(prefix)]!);
  return new PrefixTree(destinations).routes(hops, base).map(({ to, hop }) => `${to} → ${hop}`);
}

describe('routes', () => {
  test('may cover what is directly connected', () => {
    expect(routes({ '10.0.0.0/30': connected, '10.0.0.4/30': 1 })).toEqual(['10.0.0.0/29 → 1']);
    expect(routes({ '10.0.0.0/30': connected, '10.0.0.4/30': connected })).toEqual([]);
  });

  test('go where most destinations go, the first half at a tie, and neither where what is connected is', () => {
    const [half, other] = ['10.0.0.0/30', '10.0.0.4/30'];
    const [third, fourth] = ['10.0.0.4/31', '10.0.0.6/31'];
    expect(routes({ [half]: 2, [third]: 1, [fourth]: 1 })).toEqual(['10.0.0.0/29 → 1', `${half} → 2`]);
    expect(routes({ '10.0.0.0/31': 1, '10.0.0.2/31': 1, [other]: 2 })).toEqual([
      '10.0.0.0/29 → 1',
      `${other} → 2`,
    ]);
    expect(routes({ [half]: 1, [other]: 2 })).toEqual(['10.0.0.0/29 → 1', `${other} → 2`]);
    expect(routes({ [half]: 1, [third]: connected, [fourth]: connected })).toEqual(['10.0.0.0/29 → 1']);
    expect(routes({ [half]: unreachable, [third]: 1, [fourth]: 1 })).toEqual([`${other} → 1`]);
  });

  test('inside a destination: only where they go another way', () => {
    expect(routes({ '10.0.0.0/8': 1, '10.1.0.0/16': 1, '10.2.0.0/16': 2 })).toEqual([
      '10.0.0.0/8 → 1',
      '10.2.0.0/16 → 2',
    ]);
    expect(routes({ '10.0.0.0/8': connected, '10.1.0.0/16': 1 })).toEqual(['10.1.0.0/16 → 1']);
    expect(routes({ '10.0.0.0/8': 3, '10.0.0.0/9': 1, '10.128.0.0/9': 1 })).toEqual([
      '10.0.0.0/8 → 3',
      '10.0.0.0/9 → 1',
      '10.128.0.0/9 → 1',
    ]);
  });

  test('that a base covers are left out', () => {
    expect(routes({ '10.0.0.0/30': 0, '10.0.0.8/30': 1 }, 0)).toEqual(['10.0.0.8/30 → 1']);
    expect(routes({ '10.0.0.0/30': 1, '10.0.0.4/30': 0 }, 0)).toEqual(['10.0.0.0/30 → 1']);
    expect(routes({ '10.0.0.0/30': 0, '10.0.0.4/31': 1, '10.0.0.6/31': 1 }, 0)).toEqual(['10.0.0.4/30 → 1']);
    // A base that goes another way than both halves saves nothing.
    expect(routes({ '10.0.0.0/30': 1, '10.0.0.4/30': 2 }, 3)).toEqual(['10.0.0.0/29 → 1', '10.0.0.4/30 → 2']);
  });

  test('are the same whatever was asked before', () => {
    const destinations = prefixes(['10.0.0.0/30', '10.0.0.4/30']);
    const tree = new PrefixTree(destinations);
    const first = tree.routes(Int32Array.from([1, 1]), unreachable);
    tree.routes(Int32Array.from([1, 2]), unreachable);
    expect(tree.routes(Int32Array.from([1, 1]), unreachable)).toEqual(first);
  });

  test('for random tables: longest match finds each destination, nothing else, and no more routes than destinations', () => {
    for (const seed of seeds(300, 10)) {
      const random = randomSource(seed);
      const texts = Array.from({ length: 1 + Math.floor(random() * 40) }, () => {
        const bits = BigInt(Math.floor(random() * 256));
        const length = 32 - Math.floor(random() * random() * 7);
        return formatPrefix(networkOf({ family: 'ipv4', bits, length }));
      });
      const destinations = prefixes([...new Set(texts)]);
      const hops = Int32Array.from(destinations, () => Math.floor(random() * 5) - 2);
      const found = new PrefixTree(destinations).routes(hops, unreachable);
      expect(found.length).toBeLessThanOrEqual(destinations.length);
      expect(new Set(found.map(({ to }) => to)).size).toBe(found.length);
      const entries = found.map(({ to, hop }) => ({ prefix: parsePrefix(to)!, hop }));
      for (let bits = 0n; bits < 256n; bits += 1n) {
        const host = { family: 'ipv4', bits, length: 32 } as const;
        const owner = destinations.findLastIndex((destination) => covers(destination, host));
        const longest = entries
          .filter(({ prefix }) => covers(prefix, host))
          .toSorted((one, other) => other.prefix.length - one.prefix.length)[0];
        if (owner === -1) expect(longest).toBeUndefined();
        else if (hops[owner]! >= 0) expect(longest?.hop).toBe(hops[owner]);
        // A connected network must win: no route inside of it that is not one of a destination.
        else if (hops[owner] === connected)
          expect(longest?.prefix.length ?? 0).toBeLessThan(destinations[owner]!.length);
      }
    }
  });
});
