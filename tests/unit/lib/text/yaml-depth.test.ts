import { describe, expect, test } from '@jest/globals';
import { Lexer, Parser } from 'yaml';
import { findTooDeep, findTooDeepValue } from '../../../../src/lib/text/yaml-depth.ts';

describe('too deep', () => {
  test.each([
    ['lists in brackets', '['.repeat(110)],
    ['mappings in braces', '{a: '.repeat(110)],
    ['lists in one line', '- '.repeat(110)],
    ['lists in as few characters as can be', `${'- '.repeat(110)}-\n`],
    ['keys in one line', '? '.repeat(110)],
    ['brackets over many lines', '[\n '.repeat(110)],
    ['indentation', Array.from({ length: 110 }, (_, level) => `${' '.repeat(level)}a:\n`).join('')],
    ['keys of keys in many lines', 'a: b:\n'.repeat(110)],
    ['keys in quotes in one line', '"x\n y": '.repeat(110)],
    ['empty lists as keys', '"a": []: '.repeat(110)],
    ['a word that the lexer marks the end of brackets with', '[\u0018,'.repeat(110)],
    ['lists with a bracket in quotes', '[ "]", '.repeat(110)],
    ['keys with a bracket in quotes', `[ ']': `.repeat(110)],
    ['lists with a bracket in a comment', '[ # ]\n '.repeat(110)],
    ['lists with a bracket in a tag', '[ !<]> '.repeat(110)],
  ])('%s', (_name, text) => {
    expect(findTooDeep(`name: x\n${text}`, { Lexer, Parser })).toMatchObject({
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
    ['lines of blanks', `a: 1\n${' '.repeat(200)}\n`.repeat(200)],
    ['a comment far to the right', `${'a: 1\n'.repeat(99)}${' '.repeat(200)}# b\n`],
    ['a list that goes on far to the right', `${'a: 1\n'.repeat(99)}b: [c,\n${' '.repeat(200)}d]`],
    ['brackets in quotes', 'a: "["\n'.repeat(200)],
    ['brackets in comments', '# [ {\n'.repeat(200)],
    ['brackets in a text of many lines', `a: |\n${'  [ {\n'.repeat(200)}`],
    ['brackets that the next line ends', 'a: [b,\n'.repeat(200)],
    ['a long line of dashes', 'a: ------------------------------------------------------------'.repeat(50)],
    ['nothing', ''],
  ])('%s', (_name, text) => {
    expect(findTooDeep(text, { Lexer, Parser })).toBeUndefined();
  });
});

test('the place of what is too deep', () => {
  const text = `a: "é"\nb: ${'['.repeat(200)}`;
  expect(text.slice(findTooDeep(text, { Lexer, Parser })?.offset)).toBe('['.repeat(100));
});

test('a value is as deep as its text', () => {
  const nested = (levels: number): unknown => JSON.parse(`${'{"a":['.repeat(levels)}${']}'.repeat(levels)}`);
  expect(findTooDeepValue([nested(50)] as object)).toEqual({ message: 'more than 100 levels of nesting' });
  expect(findTooDeepValue(nested(50) as object)).toBeUndefined();
  expect(findTooDeepValue({ wide: Array.from({ length: 1000 }, () => [null, 1, 'a']) })).toBeUndefined();
});
