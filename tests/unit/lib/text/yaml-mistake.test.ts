import { expect, test } from '@jest/globals';
import { parseDocument } from 'yaml';
import { yamlMistake } from '../../../../src/lib/text/yaml-mistake.ts';

test.each([
  ['nodes:\n  r1\n  r2:\n', 'a colon seems to be missing after this word'],
  ['nodes: [r1]\nlinks', 'a colon seems to be missing after this word'],
  ['a: b: c', 'a second colon in one line: put the value in quotes, or in lines of its own'],
  ['a:\n  b: 1\n c: 2', 'the line is indented more or less than the others around it'],
  ['a: [r1, r2\nb: 1', 'a ] is missing, or a line in the brackets is not indented'],
  ['a: {b: 1', 'a } is missing, or a line in the brackets is not indented'],
  ['a: ["b" "c"]', 'a comma is missing'],
  ['a: "b', 'a closing quote is missing'],
  ['a: @b', 'a value that begins with @ must be in quotes'],
  ['a:\n- b\nc\n- d', 'a colon seems to be missing after this word'],
  ['a: "b"# c', 'a space is missing before the #'],
  ['a:\n\tb: 1', 'Tabs are not allowed as indentation'],
])('%j: %s', (text, sentence) => {
  const [first] = parseDocument(text, { prettyErrors: false }).errors;
  expect(first && yamlMistake(first.message)).toBe(sentence);
});
