import { expect, test } from '@jest/globals';
import { nameRanges } from '../../../../src/lib/text/name-ranges.ts';

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
