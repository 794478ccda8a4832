import { expect, test } from '@jest/globals';
import { describeJsonMistake } from '../../../../src/lib/text/json-mistake.ts';

test.each([
  ['{"a": tru}', 'unexpected "}" at line 1, column 10'],
  ['up', 'unexpected "u" at line 1, column 1'],
  ['{"a": 1,\n "b": x}', 'unexpected "x" at line 2, column 7'],
  ['{\n"a": 1,\n}', 'unexpected "}" at line 3, column 1'],
  ['{"a":"b\nc"}', 'unexpected "\\n" at line 1, column 8'],
  ["{'a': 1}", 'unexpected "\'" at line 1, column 2'],
  ['{"a": 1}{}', 'unexpected "{" at line 1, column 9'],
  ['{}\0\0', 'unexpected "\\u0000" at line 1, column 3'],
  ['[1, 😀]', 'unexpected "😀" at line 1, column 5'],
  ['{"action":', 'it ends too early, at line 1, column 11'],
  ['{"action": "up', 'it ends too early, at line 1, column 15'],
  ['[1,\n2', 'it ends too early, at line 2, column 2'],
  ['{"a": tr', 'it ends too early, at line 1, column 9'],
  ['{"a": -', 'it ends too early, at line 1, column 8'],
  [`{"secret": "${'s'.repeat(500)}", "b": True}`, 'unexpected "T" at line 1, column 521'],
])('%j', (text, said) => expect(describeJsonMistake(text)).toBe(said));

const lines = (count: number): string => '{"name": "n1", "list": [1, 2, 3]},\n'.repeat(count);

test('a long text is searched as well', () => {
  expect(describeJsonMistake(`[${lines(1000)}nope]`)).toBe('unexpected "o" at line 1001, column 2');
});

test('one that would keep others waiting is not, unless the place is known without', () => {
  expect(describeJsonMistake(`[${lines(3000)}nope]`)).toBeUndefined();
  expect(describeJsonMistake(`[${lines(3000)}{]`)).toBe('unexpected "]" at line 3001, column 2');
});
