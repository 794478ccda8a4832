import { expect, test } from '@jest/globals';
import { LruCache } from '../../../../src/lib/cache/lru-cache.ts';

test('what was used longest ago goes first; to look something up is to use it', () => {
  const cache = new LruCache<number>(2);
  cache.set('a', 1);
  cache.set('b', 2);
  expect(cache.get('a')).toBe(1);
  cache.set('c', 3);
  expect(['a', 'b', 'c'].map((key) => cache.get(key))).toEqual([1, undefined, 3]);
});

test('a value is replaced and deleted, which takes no place', () => {
  const cache = new LruCache<number>(2);
  cache.set('a', 1);
  cache.set('a', 2);
  cache.set('b', 3);
  expect(cache.get('a')).toBe(2);
  cache.delete('a');
  cache.set('c', 4);
  expect(['a', 'b', 'c'].map((key) => cache.get(key))).toEqual([undefined, 3, 4]);
});
