import { expect, test } from '@jest/globals';
import {
  failureLog,
  linesBelow,
} from '../../../../../../src/labs/drivers/netlab-language/errors/failure-log.ts';

test.each([
  ['one\ntwo', ['one', 'two']],
  ['\u001b[31mred\u001b[0m and \u001b]8;;http://x\u0007linked\u001b]8;;\u0007', ['red and linked']],
  // A progress line: what was seen last.
  ['10%\r50%\r100%\n', ['100%', '']],
  ['of Windows\r\nfor once\r\r\n', ['of Windows', 'for once', '']],
  ['', ['']],
])('of %j, people saw %j', (text, lines) => {
  expect(failureLog('up', text)).toEqual({ action: 'up', lines });
});

test.each<[number, readonly string[]]>([
  [0, ['one', 'two']],
  [2, []],
  [3, []],
  [4, ['last']],
])('below line %i stand %j', (start, expected) => {
  const lines = ['error', '  one', '  two  ', 'other', 'error', '  last'];
  expect(linesBelow(lines, start, (line) => line.startsWith(' '))).toEqual(expected);
});
