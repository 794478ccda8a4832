import { expect, test } from '@jest/globals';
import { isInside } from '../../../src/lib/path-inside.ts';

test.each([
  ['/labs', '/labs', true],
  ['/labs', '/labs/', true],
  ['/labs', '/labs/a/b', true],
  ['/labs/', '/labs/a', true],
  ['/', '/anything', true],
  ['/labs', '/labs/..a', true],
  ['/labs', '/labs/...', true],
  ['/labs', '/labs/a/../b', true],
  ['/labs', '/', false],
  ['/labs', '/labsters', false],
  ['/labs', '/lab', false],
  ['/labs', '/labs/..', false],
  ['/labs', '/labs/../etc', false],
  ['/labs/a', '/labs/b', false],
])('in %s, %s: %s', (parent, candidate, expected) => {
  expect(isInside(parent, candidate)).toBe(expected);
});
