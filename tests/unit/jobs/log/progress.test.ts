import { expect, test } from '@jest/globals';
import { lastMeaningfulLine } from '../../../../src/jobs/log/progress.ts';

test.each([
  ['', null],
  ['\n\n', null],
  ['one\ntwo\n', 'two'],
  ['one\ntwo', 'two'],
  ['one\r\ntwo\r\n', 'two'],
  ['  padded  \n', 'padded'],
  ['10%\r50%\r100%', '100%'],
  ['words\n\n   \n', 'words'],
  ['words\n┌──────┐\n└──────┘\n', 'words'],
  ['words\n=====\n-----\n*****\n+--+--+\n', 'words'],
  ['words\n... \n', 'words'],
  ['\u001b[1;31mred\u001b[0m words\n', 'red words'],
  ['words\n\u001b[0m\n', 'words'],
  ['Active lab instance(s)\n\n┌────┐\n│ id │\n├────┤\n│ 7  │\n└────┘\n', 'Active lab instance(s)'],
  ['words\n+----+\n| r1 |\n+----+\n', 'words'],
  ['words\n┃ r1 ┃ frr ┃  \n', 'words'],
  ['│ r1 │ frr │\n', null],
  ['a | b\n', 'a | b'],
  ['| a quotation\n', '| a quotation'],
  ['TASK [deploy] ****\n', 'TASK [deploy] ****'],
  ['日本語\n', '日本語'],
])('%j says %j', (logEnd, expected) => {
  expect(lastMeaningfulLine(logEnd)).toBe(expected);
});

test('a line of the program that is no news is left out, with its colours and before a table', () => {
  const log = 'words\n01:25:36 \u001b[1mINFO\u001b[0m Nothing new\u001b[0m  \n╭──╮\n';
  expect(lastMeaningfulLine(log, /\bNothing new$/)).toBe('words');
  expect(lastMeaningfulLine(log, /^Nothing new$/)).toBe('01:25:36 INFO Nothing new');
});

test('a long line is cut, and shows it', () => {
  expect(lastMeaningfulLine('x'.repeat(200))).toBe('x'.repeat(200));
  expect(lastMeaningfulLine('x'.repeat(201))).toBe(`${'x'.repeat(199)}…`);
});
