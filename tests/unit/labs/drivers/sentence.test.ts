import { expect, test } from '@jest/globals';
import { failedCommands, headline, sentenceOf } from '../../../../src/labs/drivers/sentence.ts';

test.each([
  [{ exitCode: 3, signal: null }, 'x up failed with exit code 3'],
  [{ exitCode: null, signal: 'SIGTERM' }, 'x up was ended by signal SIGTERM'],
  [{ exitCode: null, signal: null }, 'x up ended in an unknown way'],
])('%j', (how, text) => {
  expect(headline({ action: 'up', cliName: 'x', logTail: '', ...how })).toBe(text);
});

test('the causes stand behind a colon', () => {
  expect(sentenceOf('it failed', [])).toBe('it failed');
  expect(sentenceOf('it failed', ['one', 'two'])).toBe('it failed: one; two');
});

test.each([1, 7, 40, 160, 170, 240, 250, 400, 499, 600])(
  'of causes with %i characters, as many as there is room for',
  (length) => {
    const causes = Array.from({ length: 9 }, (_, index) => String(index).repeat(length));
    const text = sentenceOf('it failed', causes);
    expect(text.length).toBeLessThanOrEqual(500);
    const [, more] = /; and (\d+) more$/.exec(text) ?? [];
    const told = text
      .replace(/^it failed: /, '')
      .replace(/; and \d+ more$/, '')
      .split('; ');
    // Whole ones, but for a first one that is too long by itself.
    if (length <= 400) expect(told).toEqual(causes.slice(0, 9 - Number(more ?? 0)));
    else expect(text.endsWith('…')).toBe(true);
  },
);

test('the number of those that there was no room for is right, and takes its room', () => {
  const words = (length: number, count: number) => Array.from({ length: count }, () => 'x'.repeat(length));
  const long = 'x'.repeat(160);
  // 9 + 2 characters before the causes, and 2 between two of them.
  expect(sentenceOf('it failed', words(160, 9))).toBe(`it failed: ${long}; ${long}; and 7 more`);
  expect(sentenceOf('it failed', words(161, 3))).toHaveLength(11 + 3 * 161 + 4);
  expect(sentenceOf('it failed', [...words(161, 2), 'x'.repeat(163)])).toHaveLength(500);
  expect(sentenceOf('it failed', [...words(161, 2), 'x'.repeat(164)])).toMatch(/x; x+; and 1 more$/);
  // With `; and 1 more` behind the second one, there are 500.
  const second = 'x'.repeat(500 - 11 - 161 - 2 - 12);
  expect(sentenceOf('it failed', [...words(161, 1), second, long])).toHaveLength(500);
  expect(sentenceOf('it failed', [...words(161, 1), `${second}x`, long])).toMatch(/: x+; and 2 more$/);
  expect(sentenceOf('it failed', ['x'.repeat(489)])).toBe(`it failed: ${'x'.repeat(489)}`);
  expect(sentenceOf('it failed', ['x'.repeat(490)])).toBe(`it failed: ${'x'.repeat(488)}…`);
});

test('of a command in nodes, those where it failed are told', () => {
  const nodes = [0, 3, null].map((exitCode, index) => ({
    node: `h${index}`,
    output: '',
    truncated: false,
    exitCode,
  }));
  expect(failedCommands({ kind: 'outputs', complete: true, nodes })).toEqual([
    'in h1 the command ended with exit code 3',
  ]);
  const counts = { passed: 0, failed: 1, warnings: 0 };
  expect(failedCommands({ kind: 'tests', ...counts, complete: true, truncated: false, tests: [] })).toEqual(
    [],
  );
  expect(failedCommands(null)).toEqual([]);
});
