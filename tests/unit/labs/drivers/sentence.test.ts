import { expect, test } from '@jest/globals';
import { headline, sentenceOf } from '../../../../src/labs/drivers/sentence.ts';

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
