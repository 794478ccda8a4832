import { expect, test } from '@jest/globals';
import { settledWithin } from '../../../../src/lib/async/settled-within.ts';

test.each<[string, Promise<number>, number | undefined]>([
  ['a value', Promise.resolve(1), 1],
  ['a failure', Promise.reject(new Error('no')), undefined],
  ['what never comes', new Promise(() => undefined), undefined],
])('%s', async (_what, promise, expected) => {
  expect(await settledWithin(promise, 20)).toBe(expected);
});
