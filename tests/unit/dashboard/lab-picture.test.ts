import { describe, expect, test } from '@jest/globals';
import { hullOf } from '../../../web/dashboard/src/parts/picture/hulls.ts';
import { keyedLinks, layoutKeys, positionsOf } from '../../../src/labs/picture/positions.ts';
import { withMoved, withoutBoxes } from '../../../web/dashboard/src/parts/picture/positions.ts';
import { arranged } from '../../../web/dashboard/src/pages/lab/tables/node-order.ts';
import type { LabNode } from '../../../src/client/api-types.ts';

describe('the area of a group', () => {
  test('is the box of a single node, and ignores boxes inside of the hull', () => {
    const corner = { x: 0, y: 0, width: 2, height: 2 };
    const square = [
      { x: -1, y: -1 },
      { x: 1, y: -1 },
      { x: 1, y: 1 },
      { x: -1, y: 1 },
    ];
    expect(hullOf([corner])).toHaveLength(4);
    expect(hullOf([corner])).toEqual(expect.arrayContaining(square));
    const far = [
      { ...corner, x: -50, y: -50 },
      { ...corner, x: 50, y: -50 },
      { ...corner, x: 50, y: 50 },
      { ...corner, x: -50, y: 50 },
    ];
    const hull = hullOf([...far, corner]);
    for (const point of square) expect(hull).not.toContainEqual(point);
    expect(hull).toContainEqual({ x: 51, y: 51 });
  });
});

describe('a moved box', () => {
  const links = keyedLinks([
    { id: '3', endpoints: [{ node: 'a' }, { node: 'b' }, { node: 'c' }] },
    { id: '4', endpoints: [{ node: 'c' }, { node: 'b' }, { node: 'a' }] },
    { id: '5', endpoints: [{ node: 'a' }] },
  ]);

  test('is saved under the name of a node or the nodes of a link, in whole pixels, beside earlier moves', () => {
    const before = { nodes: { r1: { x: 1, y: 1 } }, links: {} };
    const moved = new Map([
      ['n:l:1', { x: 2.4, y: -3.6 }],
      ['l:4', { x: 5, y: 6 }],
    ]);
    const layout = withMoved(before, moved, links);
    expect(layout).toEqual({
      nodes: { r1: { x: 1, y: 1 }, 'l:1': { x: 2, y: -4 } },
      links: { 'a,b,c (2)': { x: 5, y: 6 } },
    });
    expect(Object.keys(positionsOf(layout, links))).toEqual(['n:r1', 'n:l:1', 'l:4']);
    expect(before.nodes).toEqual({ r1: { x: 1, y: 1 } });
  });

  test('of a link is not that of a node with the name of its ID', () => {
    const ends = [['a', 'b', 'c'], ['1']];
    const known = keyedLinks(
      ends.map((names, index) => ({ id: `${index + 1}`, endpoints: names.map((node) => ({ node })) })),
    );
    const layout = { nodes: {}, links: { 1: { x: 3, y: 4 } } };
    expect(positionsOf(layout, known)).toEqual({ 'l:2': { x: 3, y: 4 } });
  });

  test('takes the places of older layouts, which had the IDs of links, to the nodes of these', () => {
    const at = (x: number) => ({ x, y: 0 });
    const old = { nodes: {}, links: { 3: at(3), 5: at(5), a: at(50), 'x,y': at(9), 9: at(10) } };
    expect(positionsOf(old, links)).toEqual({ 'l:3': at(3), 'l:5': at(50) });
    expect(withMoved(old, new Map([['l:4', at(4)]]), links).links).toEqual({
      'a,b,c': at(3),
      'a,b,c (2)': at(4),
      a: at(50),
      'x,y': at(9),
      9: at(10),
    });
  });

  test('without the boxes of a topology has those of the others', () => {
    const at = { x: 1, y: 1 };
    const nodes = { a: at, other: at };
    expect(withoutBoxes({ nodes, links: { 3: at, 'a,b,c': at, 'x,y': at } }, ['a', 'b'], links)).toEqual({
      nodes: { other: at },
      links: { 'x,y': at },
    });
  });

  test('has a key that a layout can hold, in a network of many nodes too', () => {
    const endpoints = Array.from({ length: 90 }, (_, nr) => ({ node: `node_${nr}` }));
    const keys = layoutKeys([{ endpoints }, { endpoints }, { endpoints: endpoints.slice(1) }]);
    expect(Math.max(...keys.map(({ length }) => length))).toBeLessThanOrEqual(200);
    expect(new Set(keys).size).toBe(3);
  });
});

describe('the table of nodes', () => {
  const node = (name: string, more: Partial<LabNode> = {}): LabNode => ({
    name,
    device: 'linux',
    provider: 'netns',
    image: null,
    ready: null,
    readyReason: null,
    address: null,
    state: 'up',
    since: null,
    ...more,
  });
  const nodes = [
    node('h10', { address: '10.0.0.10' }),
    node('h2', { address: '10.0.0.9', state: 'down' }),
    node('s1'),
  ];
  const namesBy = (column: 'name' | 'address' | 'state', isDescending = false, filter = ''): string[] =>
    arranged(nodes, { column, isDescending }, filter).map(({ name }) => name);

  test('sorts numbers by value, and unknown values last in both directions', () => {
    expect(namesBy('name')).toEqual(['h2', 'h10', 's1']);
    expect(namesBy('name', true)).toEqual(['s1', 'h10', 'h2']);
    expect(namesBy('address')).toEqual(['h2', 'h10', 's1']);
    expect(namesBy('address', true)).toEqual(['h10', 'h2', 's1']);
  });

  test('lists nodes with problems first', () => {
    expect(namesBy('state')[0]).toBe('h2');
  });

  test('can be filtered by each column', () => {
    expect(namesBy('name', false, 'DOWN')).toEqual(['h2']);
    expect(namesBy('name', false, ' 10.0.0.1')).toEqual(['h10']);
    expect(namesBy('name', false, 'nothing')).toEqual([]);
  });
});
