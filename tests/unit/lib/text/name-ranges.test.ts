import { expect, test } from '@jest/globals';
import { isInRange, nameRanges, splitNames } from '../../../../src/lib/text/name-ranges.ts';

test.each([
  [[], ''],
  [['h1'], 'h1'],
  [['r1', 'r2', 'r3'], 'r[1-3]'],
  [['r3', 'r1'], 'r[1,3]'],
  [['r9', 'r10', 'r11', 'r13'], 'r[9-11,13]'],
  [['leaf08', 'leaf09', 'leaf10'], 'leaf[08-10]'],
  [['r1', 'r01'], 'r[1,01]'],
  [['h2', 'r1', 'h1'], 'h[1-2], r1'],
  [['core', 'core1', 'core2'], 'core, core[1-2]'],
  [['s1-leaf', 's2-leaf'], 's1-leaf, s2-leaf'],
  [['n1234567890123', 'n1234567890124'], 'n1234[567890123-567890124]'],
])('%j is %s', (names, text) => {
  expect(nameRanges(names)).toBe(text);
});

test.each([
  ['r[1-3]', 'r2', true],
  ['r[1-3]', 'r4', false],
  ['r[1-3]', 'r02', false],
  ['r[1-3]', 'r2x', false],
  ['r[1-3]', 'h2', false],
  ['leaf[08-10]', 'leaf09', true],
  ['leaf[08-10]', 'leaf10', true],
  ['leaf[08-10]', 'leaf9', false],
  ['r[5]', 'r5', true],
  ['r[1,3-4]', 'r4', true],
  ['r[1-]', 'r1', undefined],
  ['r*', 'r1', undefined],
])('%s names %s: %s', (word, name, isIn) => {
  expect(isInRange(word, name)).toBe(isIn);
});

test.each([
  ['r1', ['r1']],
  ['r1,h*', ['r1', 'h*']],
  ['r[1,3-4],h1', ['r[1,3-4]', 'h1']],
])('%s has the words %j', (text, words) => {
  expect(splitNames(text)).toEqual(words);
});
