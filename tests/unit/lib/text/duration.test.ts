import { describe, expect, test } from '@jest/globals';
import { formatDuration, parseDuration } from '../../../../src/lib/text/duration.ts';

describe('parseDuration', () => {
  test.each([
    ['30', 30_000],
    ['0', 0],
    ['1.5', 1_500],
    ['500ms', 500],
    ['10s', 10_000],
    ['5m', 300_000],
    ['4h', 14_400_000],
    ['30d', 2_592_000_000],
    [' 2s ', 2_000],
  ])('%j is %d ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  test.each(['', 's', '-1', '1 s', '1w', '5m30s', '1e3', '.5', '1.', '9'.repeat(20)])(
    '%j is none',
    (text) => {
      expect(parseDuration(text)).toBeUndefined();
    },
  );
});

test.each([
  [0, '0ms'],
  [999, '999ms'],
  [1_000, '1s'],
  [1_499, '1s'],
  [59_999, '1m'],
  [90_000, '1m 30s'],
  [3_600_000, '1h'],
  [14_400_000, '4h'],
  [90_061_000, '1d 1h 1m 1s'],
])('%d ms reads as %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});
