import { describe, expect, test } from '@jest/globals';
import { CST, Lexer } from 'yaml';
import { findTooDeep, findTooDeepValue } from '../../../../src/lib/text/yaml-depth.ts';

describe('too deep', () => {
  test.each([
    ['lists in brackets', '['.repeat(101)],
    ['mappings in braces', '{a: '.repeat(101)],
    ['lists in one line', '- '.repeat(102)],
    ['lists in as few characters as can be', `${'- '.repeat(100)}-\n`],
    ['keys in one line', '? '.repeat(102)],
    ['brackets over many lines', '[\n '.repeat(101)],
    ['indentation', `a:\n${' '.repeat(101)}b: 1`],
    ['lists with a bracket in quotes', '[ "]", '.repeat(101)],
    ['keys with a bracket in quotes', `[ ']': `.repeat(101)],
    ['lists with a bracket in a comment', '[ # ]\n '.repeat(101)],
    ['lists with a bracket in a tag', '[ !<]> '.repeat(101)],
  ])('%s', (_name, text) => {
    expect(findTooDeep(`name: x\n${text}`, { CST, Lexer })).toMatchObject({
      message: 'more than 100 levels of nesting',
    });
  });
});

describe('not too deep', () => {
  test.each([
    ['a hundred levels', `${'['.repeat(100)}${']'.repeat(100)}`],
    ['a hundred spaces', `${' '.repeat(100)}a: ${'- '.repeat(40)}`],
    ['many things side by side', 'links: [ [a, b], {a: 1, b: 2} ]\n'.repeat(5_000)],
    ['a long list in one line', `[${'a, '.repeat(5_000)}]`],
    ['brackets in quotes', 'a: "["\n'.repeat(200)],
    ['brackets in comments', '# [ {\n'.repeat(200)],
    ['brackets in a text of many lines', `a: |\n${'  [ {\n'.repeat(200)}`],
    ['brackets that the next line ends', 'a: [b,\n'.repeat(200)],
    ['a long line of dashes', 'a: ------------------------------------------------------------'.repeat(50)],
    ['nothing', ''],
  ])('%s', (_name, text) => {
    expect(findTooDeep(text, { CST, Lexer })).toBeUndefined();
  });
});

test('the place of what is too deep', () => {
  const text = `a: "é"\nb: ${'- '.repeat(200)}`;
  expect(text.slice(findTooDeep(text, { CST, Lexer })?.offset)).toBe('- '.repeat(101));
});

test('a value is as deep as its text', () => {
  const nested = (levels: number): unknown => JSON.parse(`${'{"a":['.repeat(levels)}${']}'.repeat(levels)}`);
  expect(findTooDeepValue([nested(50)] as object)).toEqual({ message: 'more than 100 levels of nesting' });
  expect(findTooDeepValue(nested(50) as object)).toBeUndefined();
  expect(findTooDeepValue({ wide: Array.from({ length: 1000 }, () => [null, 1, 'a']) })).toBeUndefined();
});
