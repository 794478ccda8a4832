import { expect, test } from '@jest/globals';
import { StampedCache } from '../../../../src/lib/cache/stamped-cache.ts';

test('a value is made once for each stamp, also for those who ask meanwhile', async () => {
  const cache = new StampedCache<string>(2);
  const made: string[] = [];
  const get = async (key: string, stamp: string): Promise<string> =>
    cache.get(key, stamp, async () => {
      made.push(`${key}${stamp}`);
      return `${key}${stamp}`;
    });
  expect(await Promise.all([get('a', '1'), get('a', '1'), get('b', '1')])).toEqual(['a1', 'a1', 'b1']);
  await get('a', '2');
  await get('a', '2');
  await get('b', '1');
  expect(made).toEqual(['a1', 'b1', 'a2']);
  await get('c', '1');
  await get('a', '2');
  expect(made).toEqual(['a1', 'b1', 'a2', 'c1', 'a2']);
});

test('a failure is told again for a while, and not of another stamp', async () => {
  const cache = new StampedCache<string>(2);
  let tries = 0;
  const fail = async (): Promise<string> => {
    tries += 1;
    throw new Error('broken');
  };
  await expect(cache.get('a', '1', fail)).rejects.toThrow('broken');
  await expect(cache.get('a', '1', fail)).rejects.toThrow('broken');
  expect(tries).toBe(1);
  expect(await cache.get('a', '2', async () => 'whole')).toBe('whole');
});
