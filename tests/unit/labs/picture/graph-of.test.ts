import { expect, test } from '@jest/globals';
import { graphOf, graphSize } from '../../../../src/labs/picture/graph-of.ts';
import { link, node } from './hand-made.ts';

test('a link of two nodes is a line, any other a network between its nodes', () => {
  const nodes = [node('r1'), node('h1', 'host'), node('h2', 'host')];
  const links = [link('1', ['r1', 'h1']), link('2', ['r1', 'h1', 'h2']), link('3', ['h2']), link('4', [])];
  const { boxes, lines } = graphOf({ nodes, links });
  expect(graphSize({ nodes, links })).toEqual({ boxes: boxes.length, lines: lines.length });
  expect(boxes.map(({ id }) => id)).toEqual(['n:r1', 'n:h1', 'n:h2', 'l:2', 'l:3']);
  expect(lines.map(({ from, to }) => `${from} ${to}`)).toEqual([
    'n:r1 n:h1',
    'n:r1 l:2',
    'n:h1 l:2',
    'n:h2 l:2',
    'n:h2 l:3',
  ]);
  expect(lines[0]).toMatchObject({ fromText: { above: 'r1-1', below: ['10.0.1.1/24'] } });
  expect(lines[1]?.toText).toBeUndefined();
});

test('what is far from the hosts stands on the left, a network between its nodes', () => {
  const nodes = [node('s'), node('l'), node('h', 'host')];
  const links = [link('1', ['h', 'l', 'x']), link('2', ['s', 'l'])];
  const ranks = graphOf({ nodes, links }).boxes.map(({ id, rank }) => [id, rank]);
  expect(ranks).toEqual([
    ['n:s', 2],
    ['n:l', 1],
    ['n:h', 0],
  ]);
  const lan = graphOf({ nodes, links: [link('1', ['h', 'l', 's'])] });
  expect(lan.boxes.at(-1)).toMatchObject({ id: 'l:1', rank: 0.5 });
});

test('without hosts, nothing says what is on the left', () => {
  const { boxes } = graphOf({ nodes: [node('a'), node('b')], links: [link('1', ['a', 'b'])] });
  expect(boxes.map(({ rank }) => rank)).toEqual([undefined, undefined]);
});

test('a box is as wide as what stands in it', () => {
  const [short, long] = graphOf({ nodes: [node('r'), node('a-router-of-a-long-name')], links: [] }).boxes;
  expect(long!.width).toBeGreaterThan(short!.width + 100);
});
