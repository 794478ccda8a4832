import { expect, test } from '@jest/globals';
import { parseDocument } from 'yaml';
import { yamlMistake } from '../../../../src/lib/text/yaml-mistake.ts';

const noKey = 'not a key with a value: a colon, a comma or an indent may be missing';
const moreText = 'text after the end of a value: a comma, quotes or an indent may be missing';

test.each([
  ['nodes:\n  r1\n  r2:\n', noKey],
  ['nodes: [r1]\nlinks', noKey],
  ['nodes: {\n  r1: frr\n  r2: frr\n}', noKey],
  ['links: [\n r1-r2\n r2-r3: x\n]', noKey],
  ['a: 1\n- b', noKey],
  ['a: b: c', 'a second colon in this value, or the next line is indented too far'],
  ['a: b\n  c: d', 'a second colon in this value, or the next line is indented too far'],
  ['a:\n  b: 1\n c: 2', 'the line is indented more or less than the others around it'],
  ['a: [r1, r2\nb: 1', 'a ] is missing, or a line in the brackets is not indented enough, with spaces'],
  ['a: {b: 1', 'a } is missing, or a line in the brackets is not indented enough, with spaces'],
  ['a: ]', 'this closing bracket has no opening one'],
  ['a: {"b" 1}', 'a comma or a colon is missing'],
  ["a: 'it's'", moreText],
  ['a: [[1] [2]]', moreText],
  ['a:\n  - b: 1\n - c: 2', 'the line is indented more or less than the others around it'],
  ['a: ["b" "c"]', 'a comma or a colon is missing'],
  ['a: "b', 'a closing quote is missing, or a line in the quotes is not indented'],
  ["a: 'b\nc'", 'a closing quote is missing, or a line in the quotes is not indented'],
  ['a: |b\n  c', 'text after | or > must begin in the next line'],
  ['a: &b &c d', 'a value can have only one anchor'],
  ['a: b\n---\nc: d', 'only one YAML document is allowed: "---" begins another'],
  ['a: @b', 'a value that begins with @ must be in quotes'],
  ['a:\n- b\nc\n- d', noKey],
  ['a: "b"# c', 'a space is missing before the #'],
  ['a:\n\tb: 1', 'Tabs are not allowed as indentation'],
])('%j: %s', (text, sentence) => {
  const [first] = parseDocument(text, { prettyErrors: false }).errors;
  expect(first && yamlMistake(first.message)).toBe(sentence);
});
