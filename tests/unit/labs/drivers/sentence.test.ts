import { expect, test } from '@jest/globals';
import { sentenceOf } from '../../../../src/labs/drivers/sentence.ts';

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

test('exactly 500 characters fit', () => {
  const words = (length: number, count: number) => Array.from({ length: count }, () => 'x'.repeat(length));
  // 9 + 2 characters before the causes, and 2 between two of them.
  expect(sentenceOf('it failed', [...words(161, 2), 'x'.repeat(163)])).toHaveLength(500);
  expect(sentenceOf('it failed', [...words(161, 2), 'x'.repeat(164)])).toMatch(/x; x+; and 1 more$/);
  expect(sentenceOf('it failed', ['x'.repeat(490)])).toBe(`it failed: ${'x'.repeat(488)}…`);
});
