import { expect, test } from '@jest/globals';
import { isMapping } from '../../../src/lib/mapping.ts';

test.each([{}, { a: 1 }, Object.create(null)])('%j is a mapping', (value) => {
  expect(isMapping(value)).toBe(true);
});

test.each([null, undefined, [], ['a'], 'a', 5, true, () => ({})])('%p is none', (value) => {
  expect(isMapping(value)).toBe(false);
});
