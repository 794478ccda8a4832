import { expect, test } from '@jest/globals';
import { isInside } from '../../../../src/lib/files/path-inside.ts';

test.each([
  { parent: '/labs', candidate: '/labs', expected: true },
  { parent: '/labs', candidate: '/labs/', expected: true },
  { parent: '/labs', candidate: '/labs/a/b', expected: true },
  { parent: '/labs/', candidate: '/labs/a', expected: true },
  { parent: '/', candidate: '/anything', expected: true },
  { parent: '/labs', candidate: '/labs/..a', expected: true },
  { parent: '/labs', candidate: '/labs/...', expected: true },
  { parent: '/labs', candidate: '/labs/a/../b', expected: true },
  { parent: '/labs', candidate: '/', expected: false },
  { parent: '/labs', candidate: '/labsters', expected: false },
  { parent: '/labs', candidate: '/lab', expected: false },
  { parent: '/labs', candidate: '/labs/..', expected: false },
  { parent: '/labs', candidate: '/labs/../etc', expected: false },
  { parent: '/labs/a', candidate: '/labs/b', expected: false },
])('in $parent, $candidate: $expected', ({ parent, candidate, expected }) => {
  expect(isInside(parent, candidate)).toBe(expected);
});
