import { describe, expect, test } from '@jest/globals';
import { crosses, overlap, type Turned } from '../../../../src/labs/picture/geometry.ts';
import type { PlacedText } from '../../../../src/labs/picture/picture.ts';
import { placeTexts, sizeOf, type Worded } from '../../../../src/labs/picture/place-texts.ts';

const text = (above: string) => ({ above, below: ['10.1.0.1/30'] });
const areaOf = (placed: PlacedText): Turned => ({ ...placed.at, ...sizeOf(placed), angle: placed.angle });

describe('rectangles that are turned', () => {
  const square = { x: 0, y: 0, width: 10, height: 10, angle: 0 };

  test.each([
    [{ x: 9, y: 0, width: 10, height: 10, angle: 0 }, true],
    [{ x: 10, y: 0, width: 10, height: 10, angle: 0 }, false],
    [{ x: 11, y: 0, width: 10, height: 10, angle: 45 }, true],
    [{ x: 11, y: 11, width: 10, height: 10, angle: 45 }, false],
    [{ x: 8, y: 8, width: 40, height: 1, angle: -45 }, false],
    [{ x: 4, y: 4, width: 40, height: 1, angle: -45 }, true],
  ])('overlap with %j: %p', (other, expected) => {
    expect([overlap(square, other), overlap(other, square)]).toEqual([expected, expected]);
  });

  test.each([
    [{ x: -20, y: 0 }, { x: 20, y: 0 }, true],
    [{ x: -20, y: 6 }, { x: 20, y: 6 }, false],
    [{ x: -20, y: 0 }, { x: -6, y: 0 }, false],
    [{ x: 0, y: -20 }, { x: 0, y: 20 }, true],
    [{ x: -9, y: 0 }, { x: 0, y: 9 }, true],
    [{ x: -12, y: 0 }, { x: 0, y: 12 }, false],
  ])('a line from %j to %j goes through: %p', (from, to, expected) => {
    expect(crosses(from, to, square)).toBe(expected);
  });

  test('a line goes through one that stands on its corner, and past one that lies flat', () => {
    const [from, to] = [
      { x: -20, y: 6.5 },
      { x: 20, y: 6.5 },
    ];
    expect(crosses(from, to, { ...square, angle: 45 })).toBe(true);
    expect(crosses(from, to, square)).toBe(false);
  });
});

test('each text stands on its line, near its end, the right way up', () => {
  const points = [
    { x: 300, y: 40 },
    { x: 0, y: 0 },
  ];
  const { texts, cramped } = placeTexts([], [{ points, fromText: text('eth1'), toText: text('eth2') }]);
  expect(cramped).toBe(0);
  const [first, second] = texts[0] ?? [];
  expect(first?.at.x).toBeGreaterThan(220);
  expect(second?.at.x).toBeLessThan(80);
  for (const { at, angle } of texts[0] ?? []) {
    expect(at.y).toBeCloseTo((at.x * 40) / 300);
    expect(angle).toBeCloseTo(7.6, 1);
  }
});

test('two texts of one line do not read as one, however short the line is', () => {
  for (let length = 140; length < 260; length += 1) {
    const points = [
      { x: 0, y: 0 },
      { x: length, y: 0 },
    ];
    const { texts } = placeTexts([], [{ points, fromText: text('eth1'), toText: text('eth2') }]);
    const [first, second] = (texts[0] ?? []).map(areaOf);
    if (first === undefined || second === undefined) continue;
    expect(second.x - second.width / 2 - (first.x + first.width / 2)).toBeGreaterThanOrEqual(12);
  }
});

test('no text stands over another or over a box, whatever the lines are', () => {
  // A star with more lines than there is room for beside its middle.
  const lines: Worded[] = Array.from({ length: 40 }, (_, index) => {
    const turn = (index * Math.PI) / 20;
    const points = [
      { x: 0, y: 0 },
      { x: 400 * Math.cos(turn), y: 400 * Math.sin(turn) },
    ];
    return { points, fromText: text(`eth${index}`), toText: text('eth1') };
  });
  const boxes = [{ x: 0, y: 0, width: 90, height: 46, angle: 0 }];
  const placed = placeTexts(boxes, lines).texts.flat().map(areaOf);
  expect(placed.length).toBeGreaterThan(60);
  for (const [index, area] of placed.entries())
    for (const other of [...boxes, ...placed.slice(0, index)]) expect(overlap(area, other)).toBe(false);
});

test('where there is no room for all of it, the name of the interface is left; or nothing', () => {
  const line = (length: number): Worded => ({
    points: [
      { x: 0, y: 0 },
      { x: length, y: 0 },
    ],
    fromText: text('eth1'),
    toText: undefined,
  });
  expect(placeTexts([], [line(70)])).toMatchObject({ cramped: 1, texts: [[{ above: 'eth1', below: [] }]] });
  expect(placeTexts([], [line(20)])).toEqual({ cramped: 1, texts: [[]] });
});
