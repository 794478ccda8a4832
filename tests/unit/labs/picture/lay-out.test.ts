import { describe, expect, test } from '@jest/globals';
import { overlap } from '../../../../src/labs/picture/geometry.ts';
import { graphOf } from '../../../../src/labs/picture/graph-of.ts';
import { layOut } from '../../../../src/labs/picture/lay-out.ts';
import type { Placed } from '../../../../src/labs/picture/picture.ts';
import { link, node } from './hand-made.ts';

const spineLeaf = graphOf({
  nodes: [node('s1'), node('s2'), node('l1'), node('l2'), node('h1', 'host'), node('h2', 'host')],
  links: [
    link('1', ['l1', 's1']),
    link('2', ['l1', 's2']),
    link('3', ['s1', 'l2']),
    link('4', ['s2', 'l2']),
    link('5', ['l1', 'h1', 'h2']),
    link('6', ['l2']),
  ],
});

function expectSound({ boxes, lines, width, height }: Placed): void {
  const areas = boxes.map((box) => ({ ...box, angle: 0 }));
  for (const [index, area] of areas.entries()) {
    for (const other of areas.slice(0, index)) expect(overlap(area, other)).toBe(false);
    expect(area.x - area.width / 2).toBeGreaterThan(0);
    expect(area.x + area.width / 2).toBeLessThan(width);
    expect(area.y + area.height / 2).toBeLessThan(height);
  }
  for (const { points } of lines)
    for (const { x, y } of points) expect(Number.isFinite(x) && Number.isFinite(y)).toBe(true);
}

describe('a lab that nobody has arranged', () => {
  test('looks as it always did: spines on the left, hosts on the right, and all texts', async () => {
    const placed = await layOut(spineLeaf, {});
    expectSound(placed);
    const { width, height, boxes, lines } = placed;
    expect(lines.flatMap(({ texts }) => texts)).toHaveLength(12);
    const shown = (points: readonly { x: number; y: number }[]) =>
      points.map(({ x, y }) => `${Math.round(x)},${Math.round(y)}`).join(' ');
    expect([width, height].map(Math.round)).toEqual([1311, 246]);
    // s1, s2, l1, l2, h1, h2, and the networks 5 and 6.
    expect(shown(boxes)).toBe('361,50 361,137 656,90 66,137 1245,50 1245,137 950,90 361,211');
    expect(lines.map(({ points }) => shown(points))).toEqual([
      '628,85 389,48',
      '628,96 389,139',
      '333,46 95,124',
      '333,137 94,137',
      '684,90 922,90',
      '1216,48 978,89',
      '1216,139 978,91',
      '94,149 333,215',
    ]);
  });

  test('a chain of a hundred nodes goes on below itself', async () => {
    const names = Array.from({ length: 100 }, (_, index) => `r${index}`);
    const links = names.slice(1).map((name, index) => link(String(index), [names[index]!, name]));
    const placed = await layOut(graphOf({ nodes: names.map((name) => node(name)), links }), {});
    expectSound(placed);
    expect(placed.width).toBeLessThan(3 * placed.height);
  });
});

describe('a lab that somebody has arranged', () => {
  test('what was not arranged is laid out, and what was stays where it was put', async () => {
    const placed = await layOut(spineLeaf, { 'n:s1': { x: 5_000, y: 5_000 }, 'n:gone': { x: 0, y: 0 } });
    const [s1, s2] = placed.boxes;
    expect(s1!.x - s2!.x).toBeGreaterThan(4_000);
    expectSound(placed);
  });

  test('nodes in one place are drawn all the same', async () => {
    const all = Object.fromEntries(spineLeaf.boxes.map(({ id }) => [id, { x: 0, y: 0 }]));
    const { width, lines } = await layOut(spineLeaf, all);
    expect(Number.isFinite(width)).toBe(true);
    expect(lines).toHaveLength(spineLeaf.lines.length);
  });
});
