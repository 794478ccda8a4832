import { describe, expect, test } from '@jest/globals';
import { findTooDeep } from '../../../../src/lib/text/yaml-depth.ts';

describe('too deep', () => {
  test.each([
    ['lists in brackets', '['.repeat(101)],
    ['mappings in braces', '{a: '.repeat(101)],
    ['lists in one line', '- '.repeat(102)],
    ['lists in as few characters as can be', `${'- '.repeat(100)}-\n`],
    ['keys in one line', '? '.repeat(102)],
    ['brackets over many lines', '[\n'.repeat(101)],
    ['indentation', `${' '.repeat(101)}a: 1`],
  ])('%s', (_name, text) => {
    expect(findTooDeep(`name: x\n${text}`)).toMatchObject({ message: 'more than 100 levels of nesting' });
  });
});

describe('not too deep', () => {
  test.each([
    ['a hundred levels', `${'['.repeat(100)}${']'.repeat(100)}`],
    ['a hundred spaces', `${' '.repeat(100)}a: ${'- '.repeat(40)}`],
    ['many things side by side', 'links: [ [a, b], {a: 1, b: 2} ]\n'.repeat(5_000)],
    ['a long list in one line', `[${'a, '.repeat(5_000)}]`],
    ['a long line of dashes', 'a: ------------------------------------------------------------'.repeat(50)],
    ['nothing', ''],
  ])('%s', (_name, text) => {
    expect(findTooDeep(text)).toBeUndefined();
  });
});
