import { expect, test } from '@jest/globals';
import { mapPortions } from '../../../../src/lib/async/map-portions.ts';

const numbers = Array.from({ length: 10 }, (_, index) => index);

test('the results stand in the order of the items, and no portion is larger than it may be', async () => {
  const sizes: number[] = [];
  const doubled = await mapPortions(numbers, { size: 4, atOnce: 2 }, async (some) => {
    sizes.push(some.length);
    return some.map((it) => it * 2);
  });
  expect(doubled).toEqual(numbers.map((it) => it * 2));
  expect(sizes).toEqual([4, 4, 2]);
});

test('what is left of a portion is asked for again', async () => {
  const asked: (readonly number[])[] = [];
  const same = await mapPortions(numbers.slice(0, 5), { size: 3, atOnce: 1 }, async (some) => {
    asked.push(some);
    return some.slice(0, 2);
  });
  expect(same).toEqual([0, 1, 2, 3, 4]);
  expect(asked).toEqual([[0, 1, 2], [2], [3, 4]]);
});

test('nothing is nothing, and a failure is passed on', async () => {
  expect(await mapPortions([], { size: 3, atOnce: 1 }, async (some) => some)).toEqual([]);
  const failing = mapPortions(numbers, { size: 3, atOnce: 2 }, async () => Promise.reject(new Error('no')));
  await expect(failing).rejects.toThrow('no');
});
