import { describe, expect, test } from '@jest/globals';
import { octagonPoints, pathOf, tenths } from '../../../../src/labs/picture/outlines.ts';

test.each([
  [1, '1'],
  [1.26, '1.3'],
  [-0.04, '0'],
])('%d is said as %s', (value, text) => {
  expect(tenths(value)).toBe(text);
});

test('a box with cut corners goes around clockwise, from the left of its upper side', () => {
  expect(octagonPoints({ x: 50, y: 40, width: 100, height: 60 })).toBe(
    '12,10 88,10 100,22 100,58 88,70 12,70 0,58 0,22',
  );
  expect(octagonPoints({ x: 0.5, y: 0, width: 40.2, height: 30 })).toMatch(/^-7\.6,-15 8\.6,-15 /);
});

describe('a line', () => {
  const at = (x: number, y: number) => ({ x, y });

  test.each([
    ['from a point to itself', [at(1, 2)], 'M1 2'],
    ['from one to another', [at(0, 0), at(10.06, -3)], 'M0 0L10.1 -3'],
    [
      'around a corner: by 14 where there is room',
      [at(0, 0), at(100, 0), at(100, 50)],
      'M0 0L86 0Q100 0 100 14L100 50',
    ],
    ['else by half of what there is', [at(0, 0), at(0, 20), at(-10, 20)], 'M0 0L0 10Q0 20 -5 20L-10 20'],
    ['that stands still for a moment', [at(0, 0), at(0, 0), at(10, 0)], 'M0 0L0 0Q0 0 5 0L10 0'],
    ['of no points', [], ''],
  ])('%s', (_what, points, path) => {
    expect(pathOf(points)).toBe(path);
  });
});
