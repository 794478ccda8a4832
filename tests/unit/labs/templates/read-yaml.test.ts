import { describe, expect, test } from '@jest/globals';
import { isDeepStrictEqual } from 'node:util';
import { readFast, readWithYaml, readYaml } from '../../../../src/labs/templates/read-yaml.ts';
import { writtenYaml } from '../../../support/written-yaml.ts';

const nested = (levels: number): string => `a: ${'['.repeat(levels)}${']'.repeat(levels)}`;

/** Whether js-yaml reads the text; if so, it must read the value of the yaml package, with its order of keys. */
function isFast(text: string): boolean {
  const value = readFast(text) ?? undefined;
  if (value === undefined) return false;
  const expected = readWithYaml(text);
  if (!isDeepStrictEqual(value, expected) || JSON.stringify(value) !== JSON.stringify(expected))
    expect({ text, value }).toStrictEqual({ text, value: expected });
  return true;
}

test('a text that nests too deep is not parsed', () => {
  for (const text of [nested(101), `x: &y 1\n${nested(101)}`])
    expect(() => readYaml(text)).toThrow('it has more than 100 levels of nesting');
  expect(JSON.stringify(readYaml(nested(100)))).toBe(`{"a":${nested(100).slice(3)}}`);
});

test.each([
  ['a: 1', { a: 1 }],
  ['a: &x 1\nb: *x', { a: 1, b: 1 }],
  ['a: 1\na: 2', { a: 2 }],
  ['', null],
])('%j', (text, value) => {
  expect(readYaml(text)).toEqual(value);
});

test.each([
  ['a quoted text', (spaces: string) => `a: "b${spaces}"`],
  ['a comment', (spaces: string) => `a: 1 # ${spaces}b`],
  ['a map', (spaces: string) => `a: {${spaces}b: 1 }`],
])('a megabyte of spaces in %s takes no more time than its length', (_place, textWith) => {
  // A pattern that begins anew at each space would need hours.
  expect(readYaml(textWith(' '.repeat(2 ** 20)))).toHaveProperty('a');
});

test('an error has a plain sentence', () => {
  expect(() => readYaml('a: [1')).toThrow('a ] is missing');
});

describe('the answer is that of the yaml package', () => {
  // Each of these is read differently by js-yaml.
  test.each([
    'null: 1',
    '~: 1',
    'a: { : 1 }',
    '- :',
    '...\na: 1',
    '? k: a',
    'a: 1\n\uFEFFb: 2',
    'a: b\tc',
    'a: 1\r\nb: 2',
    '<<: { a: 1 }',
    '%YAML 1.1\n---\na: yes',
    'a: !!str 1',
    'a: {:}',
    'a: { ~ }',
    'a: { b, null }',
    'a: .51e311',
    'a: |+1\n \n b\n \n',
  ])('%j', (text) => {
    expect(isFast(text)).toBe(false);
  });

  test('for 4,000 generated texts', () => {
    const texts = Array.from({ length: 4_000 }, (_, seed) => writtenYaml(seed));
    expect(texts.filter(isFast).length).toBeGreaterThan(400);
  });
});
