/** What is asked of ELK, and what is made of its answer; lay-out.test.ts has what comes out with ELK itself. */
import { describe, expect, test } from '@jest/globals';
import type { ElkNode } from 'elkjs/lib/elk-api.js';
import { arrange, type Arranger } from '../../../../src/labs/picture/arrange.ts';
import type { Box, EndText, Graph, Line } from '../../../../src/labs/picture/picture.ts';

const box = (id: string, rank?: number): Box => ({ id, width: 80, height: 46, rank });
const text = (above: string): EndText => ({ above, below: [] });
const line = (from: string, to: string, fromText?: EndText, toText?: EndText): Line => {
  return { from, to, fromText, toText };
};
const at = (x: number, y: number) => ({ x, y });

/** How large ELK says that the picture is, and where it puts boxes and lines: each line goes straight right. */
interface Answer {
  readonly width: number;
  readonly height: number;
  readonly xs?: readonly number[];
  readonly bends?: readonly { x: number; y: number }[];
}

/** In place of ELK: what it is asked, and answers that are easy to follow. */
function recorder(answer: (asked: ElkNode) => Answer = () => ({ width: 1_000, height: 100 })) {
  const asked: ElkNode[] = [];
  const elk = {
    layout: async (graph: ElkNode) => {
      asked.push(graph);
      const { width, height, xs = [], bends } = answer(graph);
      const children = (graph.children ?? []).map((child, index) => ({ ...child, x: xs[index] ?? 0, y: 10 }));
      const edges = (graph.edges ?? []).map((edge, index) => ({
        ...edge,
        sections: [
          {
            id: `s${index}`,
            startPoint: at(100, 20 * index),
            endPoint: at(500, 20 * index),
            ...(bends && { bendPoints: [...bends] }),
          },
        ],
      }));
      return Promise.resolve({ id: 'root', width, height, children, edges });
    },
  };
  return { asked, elk: elk as Arranger };
}

async function askedFor(graph: Graph): Promise<ElkNode> {
  const { asked, elk } = recorder();
  await arrange(elk, graph);
  return asked[0]!;
}

const option = ({ layoutOptions = {} }: ElkNode, name: string) => layoutOptions[`elk.${name}`];
const gapOf = (asked: ElkNode) => option(asked, 'layered.spacing.nodeNodeBetweenLayers');

describe('the direction of a line', () => {
  test.each([
    ['from what is farther from a host to what is nearer', [box('n:a', 2), box('n:b', 1)], ['n:a', 'n:b']],
    ['also where it is told the other way round', [box('n:a', 1), box('n:b', 2)], ['n:b', 'n:a']],
    ['as it is told where both are as far', [box('n:a', 1), box('n:b', 1)], ['n:a', 'n:b']],
    ['as it is told where nobody knows of the other', [box('n:a', 1), box('n:b')], ['n:a', 'n:b']],
  ])('%s', async (_what, boxes, [source, target]) => {
    const { edges = [] } = await askedFor({ boxes, lines: [line('n:a', 'n:b')] });
    expect(edges).toEqual([{ id: '0', sources: [`${source}#0o`], targets: [`${target}#0i`] }]);
  });

  test('the first node of a network is on its left, the others on its right', async () => {
    const boxes = [...['n:a', 'n:b', 'n:c'].map((id) => box(id)), box('l:1')];
    const lines = ['n:a', 'n:b', 'n:c'].map((id) => line(id, 'l:1'));
    const { edges = [] } = await askedFor({ boxes, lines });
    expect(edges.map(({ sources }) => sources[0])).toEqual(['n:a#0o', 'l:1#1o', 'l:1#2o']);
  });
});

describe('a box', () => {
  /** As high as it is asked for when `count` lines leave it, and as many come in. */
  const heightWith = async (id: string, out: number, into: number): Promise<number | undefined> => {
    const far = Array.from({ length: out + into }, (_, index) => `n:${index}`);
    const lines = far.map((other, index) => (index < out ? line(id, other) : line(other, id)));
    const { children = [] } = await askedFor({ boxes: [box(id), ...far.map((each) => box(each))], lines });
    return children[0]?.height;
  };

  test.each([
    [2, 0, 46],
    [3, 4, 88],
    [12, 0, 264],
    [60, 0, 420],
  ])('with %d lines on its right and %d on its left is %d high', async (out, into, height) => {
    expect(await heightWith('n:a', out, into)).toBeCloseTo(height);
  });

  test('of a network stays as it is, whatever meets there', async () => {
    expect(await heightWith('l:1', 9, 9)).toBe(46);
  });
});

describe('more than one try', () => {
  /** Two lines with texts that find no room: the recorder draws them 20 units apart, with other boxes upon them. */
  const cramped = (count: number): Graph => ({
    boxes: [box('n:a'), box('n:b')],
    lines: Array.from({ length: count }, () => line('n:a', 'n:b', text('x'.repeat(90)), text('y'))),
  });

  test('is made while texts find no room, each with things farther apart', async () => {
    const { asked, elk } = recorder();
    await arrange(elk, cramped(1));
    expect(asked.map(gapOf)).toEqual(['340', '459.00000000000006', '612']);
  });

  test('is not made where all texts find room', async () => {
    const { asked, elk } = recorder();
    await arrange(elk, {
      boxes: [box('n:a'), box('n:b')],
      lines: [line('n:a', 'n:b', text('x'), text('y'))],
    });
    expect(asked).toHaveLength(1);
  });

  test.each([
    [60, 3],
    [61, 1],
  ])('would take too long with many lines: with %d there are %d', async (count, tries) => {
    const { asked, elk } = recorder();
    await arrange(elk, cramped(count));
    expect(asked).toHaveLength(tries);
  });

  test('the one with the most room is taken, of two such the first', async () => {
    const graph = cramped(1);
    // Only the second try leaves room for the short text of this line.
    const withRoom = (room: readonly number[]) => {
      let nth = 0;
      return recorder(() => {
        nth += 1;
        return { width: 1_000, height: 100, xs: [nth, 0], bends: room.includes(nth) ? [at(100, 2_000)] : [] };
      });
    };
    const taken = async (room: readonly number[]) => {
      const { boxes } = await arrange(withRoom(room).elk, graph);
      return boxes[0]!.x - 40;
    };
    expect([await taken([]), await taken([2]), await taken([3])]).toEqual([1, 2, 3]);
  });
});

test('many boxes stand closer to each other', async () => {
  const boxes = (count: number) => Array.from({ length: count }, (_, index) => box(`n:${index}`));
  expect(option(await askedFor({ boxes: boxes(60), lines: [] }), 'spacing.nodeNode')).toBe('30');
  expect(option(await askedFor({ boxes: boxes(61), lines: [] }), 'spacing.nodeNode')).toBe('13.5');
});

describe('a long chain goes on below itself', () => {
  const wrapping = 'layered.wrapping.strategy';

  test.each([
    ['where it is long and low', { width: 3_601, height: 720 }, [undefined, 'MULTI_EDGE']],
    ['not where it is no longer than a page or two', { width: 3_600, height: 10 }, [undefined]],
    ['not where it is high, too', { width: 5_000, height: 1_000 }, [undefined]],
  ])('%s', async (_what, size, asks) => {
    const { asked, elk } = recorder((graph) =>
      option(graph, wrapping) ? { width: 1_000, height: 1_000 } : size,
    );
    await arrange(elk, { boxes: [box('n:a'), box('n:b')], lines: [] });
    expect(asked.map((each) => option(each, wrapping))).toEqual(asks);
  });
});

describe('a high picture of few columns is drawn broader', () => {
  const graph: Graph = { boxes: [box('n:a'), box('n:b')], lines: [line('n:a', 'n:b')] };
  const drawn = async (height: number) => {
    const { elk } = recorder(() => ({ width: 600, height, xs: [20, 500], bends: [at(200, 7)] }));
    return arrange(elk, graph);
  };
  const straight = { xs: [60, 540], path: [at(100, 0), at(200, 7), at(500, 0)] };

  test.each([
    ['not one that is broad enough', 270, straight],
    // 540 / (0.45 * 600) = 2. The ends of a line move as far as the middles of its boxes do: by 60 and by 540.
    ['as broad as it has to be', 540, { xs: [120, 1_080], path: [at(160, 0), at(400, 7), at(1_040, 0)] }],
    ['but three times at most', 5_000, { xs: [180, 1_620], path: [at(220, 0), at(600, 7), at(1_580, 0)] }],
  ])('%s', async (_what, height, { xs, path }) => {
    const { boxes, paths } = await drawn(height);
    expect(boxes.map(({ x, width }) => [x, width])).toEqual(xs.map((x) => [x, 80]));
    expect(paths).toEqual([path]);
  });
});
