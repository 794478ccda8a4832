/** Where things are once they are arranged. `lay-out.test.ts` has whole pictures; here, each number can be computed by hand. */
import { describe, expect, test } from '@jest/globals';
import type { Box, Graph, Line } from '../../../../src/labs/picture/picture.ts';
import {
  clearPath,
  framed,
  place,
  shiftsOf,
  straightPath,
  type Arranged,
} from '../../../../src/labs/picture/place.ts';

const box = (id: string): Box => ({ id, width: 80, height: 46, rank: undefined });
const line = (from: string, to: string): Line => ({ from, to, fromText: undefined, toText: undefined });
const at = (x: number, y: number) => ({ x, y });
const sized = (x: number, y: number, width = 80, height = 46) => ({ x, y, width, height });

describe('lines that join the same boxes', () => {
  test.each([
    ['one is straight', [line('a', 'b')], [0]],
    ['two are on both sides of the straight one', [line('a', 'b'), line('a', 'b')], [-13, 13]],
    ['those of both directions are counted together', [line('a', 'b'), line('b', 'a')], [-13, -13]],
    ['others do not count', [line('a', 'b'), line('a', 'c'), line('b', 'c')], [0, 0, 0]],
  ])('%s', (_what, lines, shifts) => {
    // Nobody draws a zero with a sign.
    expect(shiftsOf(lines).map((shift) => shift + 0)).toEqual(shifts);
  });
});

describe('a straight line goes from border to border', () => {
  test.each([
    ['to the right', sized(200, 0), 0, [at(40, 0), at(160, 0)]],
    ['down', sized(0, 100), 0, [at(0, 23), at(0, 77)]],
    ['across', sized(400, 100), 0, [at(40, 10), at(360, 90)]],
    ['beside the straight one, to the right', sized(200, 0), 10, [at(40, 10), at(160, 10)]],
    ['beside one that goes across', sized(300, 400), 10, [at(17.25 - 8, 23 + 6), at(282.75 - 8, 377 + 6)]],
    ['to a box in the same place', sized(0, 0), 10, [at(0, 0), at(0, 0)]],
  ])('%s', (_what, to, shift, [start, end]) => {
    const points = straightPath(sized(0, 0), to, shift);
    expect(points).toHaveLength(2);
    for (const [index, expected] of [start!, end!].entries()) {
      expect(points[index]!.x).toBeCloseTo(expected.x);
      expect(points[index]!.y).toBeCloseTo(expected.y);
    }
  });
});

describe('a line beside other boxes', () => {
  const [from, to] = [sized(0, 0), sized(400, 0)];

  test('goes past a box between its ends, on the shorter side that is free', () => {
    const bends = (...boxes: Parameters<typeof clearPath>[3]) =>
      clearPath(from, to, 0, [from, ...boxes, to]).slice(1, -1);
    const [left, right] = [200 - 40 - 16, 200 + 40 + 16];
    expect(bends(sized(200, 5))).toEqual([at(left, -34), at(right, -34)]);
    expect(bends(sized(200, 5), sized(200, -60))).toEqual([at(left, 44), at(right, 44)]);
    expect(bends(sized(100, 25))).toEqual([at(44, -14)]);
  });

  test('is straight where it passes none, or cannot pass', () => {
    const straight = straightPath(from, to, 0);
    expect(clearPath(from, to, 0, [from, sized(200, 100), to])).toEqual(straight);
    expect(clearPath(from, to, 0, [from, sized(200, 0, 80, 2000), to])).toEqual(straight);
  });
});

const graph: Graph = {
  boxes: ['a', 'b', 'c'].map(box),
  lines: [line('a', 'b'), line('b', 'c'), line('a', 'b')],
};
const arranged: Arranged = {
  boxes: [sized(0, 0), sized(200, 0, 80, 100), sized(400, 0)],
  paths: [
    [at(40, 0), at(100, 0), at(100, 50), at(160, 50)],
    [at(240, 0), at(360, 0)],
    [at(40, 10), at(160, 10)],
  ],
};

describe('what is placed', () => {
  test('is where it was arranged; its lines go on beneath the boxes', () => {
    const { boxes, lines } = place(graph, arranged, {});
    expect(boxes).toEqual(arranged.boxes);
    expect(lines.map(({ points }) => points)).toEqual([
      [at(26, 0), at(100, 0), at(100, 50), at(174, 50)],
      [at(226, 0), at(374, 0)],
      [at(26, 10), at(174, 10)],
    ]);
  });

  test('is where somebody put it, at most as high as a node; its lines are straight, the others stay', () => {
    const { boxes, lines } = place(graph, arranged, { b: at(0, 200) });
    expect(boxes).toEqual([sized(0, 0), sized(0, 200, 80, 46), sized(400, 0)]);
    const paths = lines.map(({ points }) => points.map(({ x, y }) => [Math.round(x), Math.round(y)]));
    expect(paths[0]).toEqual([
      [13, 9],
      [13, 191],
    ]);
    expect(paths[2]).toEqual([
      [-13, 9],
      [-13, 191],
    ]);
    expect(paths[1]).toHaveLength(2);
    expect(place(graph, arranged, { c: at(0, 200) }).lines[0]).toEqual(place(graph, arranged, {}).lines[0]);
  });
});

describe('the frame', () => {
  const text = (x: number, y: number) => ({ above: 'a'.repeat(20), below: [], at: at(x, y), angle: 0 });

  test.each([
    ['a box', { boxes: [sized(-100, 1_000)], lines: [] }, { width: 128, height: 94 }],
    [
      'a line',
      { boxes: [], lines: [{ points: [at(5, 7), at(-5, 70), at(0, 0)], texts: [] }] },
      { width: 58, height: 118 },
    ],
    // 20 letters of 9.5 points; one letter has 0.61 of that.
    [
      'a text, which may be turned',
      { boxes: [], lines: [{ points: [], texts: [text(9, 9)] }] },
      { width: 163.9, height: 163.9 },
    ],
  ])('goes around %s', (_what, what, { width, height }) => {
    const drawn = framed(what);
    expect(drawn.width).toBeCloseTo(width);
    expect(drawn.height).toBeCloseTo(height);
  });

  test('moves all of it, so that it begins at the margin', () => {
    const points = [at(-200, -300), at(0, 0)];
    const drawn = framed({ boxes: [sized(0, 0)], lines: [{ points, texts: [text(50, -100)] }] });
    expect(drawn.boxes).toEqual([sized(224, 324)]);
    expect(drawn.lines).toEqual([
      { points: [at(24, 24), at(224, 324)], texts: [{ ...text(0, 0), at: at(274, 224) }] },
    ]);
  });
});
