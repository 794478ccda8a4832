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
    [{ x: 8, y: 8, width: 40, height: 1, angle: -45 }, false],
    [{ x: 4, y: 4, width: 40, height: 1, angle: -45 }, true],
  ])('overlap with %j: %p', (other, expected) => {
    expect([overlap(square, other), overlap(other, square)]).toEqual([expected, expected]);
  });

  test.each([
    [{ x: -20, y: 0 }, { x: 20, y: 0 }, true],
    [{ x: -20, y: 6 }, { x: 20, y: 6 }, false],
    [{ x: -9, y: 0 }, { x: 0, y: 9 }, true],
    [{ x: -12, y: 0 }, { x: 0, y: 12 }, false],
  ])('a line from %j to %j goes through: %p', (from, to, expected) => {
    expect(crosses(from, to, square)).toBe(expected);
  });
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

/** A line to the text of which there is one at its beginning: 63.7 long. */
const from = (...points: [number, number][]): Worded => {
  return { points: points.map(([x, y]) => ({ x, y })), fromText: text('eth1'), toText: undefined };
};
/** One without. */
const bare = (...points: [number, number][]): Worded => ({ ...from(...points), fromText: undefined });
/** Where the text of the first line stands, all of it. */
const standsAt = (boxes: readonly Turned[], ...lines: readonly Worded[]) => {
  const [placed] = placeTexts(boxes, lines).texts[0] ?? [];
  return placed && placed.below.length > 0
    ? [Math.round(placed.at.x), Math.round(placed.at.y), Math.round(placed.angle)]
    : undefined;
};

test.each([
  ['to the right', [500, 100], [138, 100, 0]],
  ['down', [100, 500], [100, 138, 90]],
  ['down to the right', [500, 500], [127, 127, 45]],
  ['up to the right', [500, -300], [127, 73, -45]],
] as const)('a text on a line that goes %s begins near its end, and can be read', (_what, [x, y], place) => {
  expect(standsAt([], from([100, 100], [x, y]))).toEqual(place);
});

describe('a text goes on along its line', () => {
  const box = (x: number, y: number, width: number) => ({ x, y, width, height: 20, angle: 0 });

  test('while there is a box; until it would seem to belong to the other end', () => {
    // Steps of 12 from 137.9 on; it may stand up to 0.6 of the length, at 280.
    expect(standsAt([box(110, 100, 20)], from([100, 100], [400, 100]))).toEqual([162, 100, 0]);
    expect(standsAt([box(160, 100, 150)], from([100, 100], [400, 100]))).toEqual([270, 100, 0]);
    expect(standsAt([box(170, 100, 160)], from([100, 100], [400, 100]))).toBeUndefined();
  });

  test('and around a corner, where the first part is too short', () => {
    expect(standsAt([], from([100, 100], [130, 100], [130, 400]))).toEqual([130, 138, 90]);
    // As far from its end as it may be, counted from there: 130 of 330 are before this box, and 0.6 of it are 198.
    const blocked = box(130, 180, 60);
    expect(standsAt([{ ...blocked, height: 100 }], from([100, 100], [130, 100], [130, 400]))).toBeUndefined();
    expect(standsAt([{ ...blocked, height: 30 }], from([100, 100], [130, 100], [130, 400]))).toEqual([
      130, 234, 90,
    ]);
  });
});

describe('other lines', () => {
  const line = from([100, 100], [500, 100]);

  test('that go through a text have it stand farther from its end', () => {
    expect(standsAt([], line, bare([140, 50], [140, 150]))).toEqual([174, 100, 0]);
    // However long they are, and wherever they begin.
    expect(standsAt([], line, bare([140, 5_000], [140, -5_000]))).toEqual([174, 100, 0]);
    expect(standsAt([], line, bare([130, 0], [140, 90], [140, 150], [0, 400]))).toEqual([174, 100, 0]);
  });

  test('do less harm than a text far from its end', () => {
    expect(standsAt([], line, bare([140, 50], [140, 150]), bare([200, 50], [200, 150]))).toEqual([
      138, 100, 0,
    ]);
  });

  test('count one for one, however often one of them goes through it', () => {
    const zigzag = bare([120, 50], [120, 150], [140, 150], [140, 50]);
    expect(standsAt([], line, zigzag, bare([200, 50], [200, 150]))).toEqual([138, 100, 0]);
    const two = [bare([120, 50], [120, 150]), bare([140, 50], [140, 150])];
    expect(standsAt([], line, ...two, bare([200, 50], [200, 150]))).toEqual([162, 100, 0]);
  });
});
