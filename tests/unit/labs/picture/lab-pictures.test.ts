/** Pictures that are laid out in the process of the test; picture/layout-thread.test.ts has the thread. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { LabTopology } from '../../../../src/labs/drivers/topology.ts';
import type { LabLayout } from '../../../../src/labs/picture/lab-layouts.ts';
import { LabPictures } from '../../../../src/labs/picture/lab-pictures.ts';
import { layOut } from '../../../../src/labs/picture/lay-out.ts';
import type { Positions } from '../../../../src/labs/picture/picture.ts';
import type { ListedLab } from '../../../../src/labs/status/lab-list.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { link, node } from './hand-made.ts';

const small: LabTopology = {
  nodes: [node('r1'), node('r2'), node('h1', 'host')],
  links: [link('1', ['r1', 'r2']), link('2', ['r1', 'r2', 'h1'])],
};
const noLayout: LabLayout = { nodes: {}, links: {} };
const lab: ListedLab = {
  id: 'demo',
  cli: 'netlab',
  name: 'demo',
  state: 'started',
  workdir: '/labs/demo',
  problem: null,
  provider: null,
  runtime: null,
  startedAtMs: null,
  entry: {},
  nodes: (['up', 'down'] as const).map((state, index) => {
    const unknown = {
      sinceMs: null,
      container: null,
      address: null,
      device: null,
      provider: null,
      image: null,
    };
    return { name: `r${index + 1}`, state, ...unknown };
  }),
};

/** What there is to draw, and what was done for it. */
let now: { topology: LabTopology; stamp: string; layout: LabLayout };
let laidOut: Positions[];
let asked: unknown[];
/** Of each node. */
let isReady: boolean | null;

beforeEach(() => {
  now = { topology: small, stamp: 'first', layout: noLayout };
  [laidOut, asked, isReady] = [[], [], null];
});

type Thread = ConstructorParameters<typeof LabPictures>[0]['thread'];

function pictures(
  thread: Thread = { layOut: async ({ graph, given }) => layOut(graph, given) },
): LabPictures {
  return new LabPictures({
    topologies: {
      of: async () => ({ topology: now.topology, stamp: now.stamp, directory: await Promise.resolve('/d') }),
    },
    layouts: { get: async () => Promise.resolve(now.layout) },
    list: {
      one: async (id, options) => {
        asked.push([id, options]);
        return Promise.resolve({ value: lab, ageMs: 0 });
      },
    },
    ready: {
      known: () => null,
      of: () => ({ ready: null, nodes: lab.nodes.map(() => ({ ready: isReady, reason: null })) }),
    },
    thread: {
      layOut: async (task) => {
        laidOut.push(task.given);
        return thread.layOut(task);
      },
    },
  });
}

const plain = { withState: false };

describe('the picture', () => {
  test('is that of the lab, and tells no state unless it is asked for one', async () => {
    const svg = await pictures().svg('demo', plain);
    expect(svg).toContain('Lab demo');
    for (const name of ['r1', 'r2', 'h1']) expect(svg).toContain(`>${name}</text>`);
    expect(svg).not.toContain('class="legend"');
    expect(asked).toEqual([]);
  });

  test('tells the state of each node as it was told last, and of one that is not told, that it is unknown', async () => {
    const svg = await pictures().svg('demo', { withState: true });
    const legend = [...svg.matchAll(/class="legend"[^>]*>([^<]*)</g)].map(([, words]) => words);
    expect(legend).toEqual(['1 up', '1 down', '1 unknown']);
    expect(asked).toEqual([['demo', { fresh: false }]]);
  });

  test('marks a node that is up and not ready', async () => {
    isReady = false;
    const svg = await pictures().svg('demo', { withState: true });
    const legend = [...svg.matchAll(/class="legend"[^>]*>([^<]*)</g)].map(([, words]) => words);
    expect(legend).toEqual(['1 not ready', '1 down', '1 unknown']);
    expect(svg).toContain('frr, not ready</title>');
  });
});

test('it is laid out once, and again when the lab or the positions have changed', async () => {
  const drawn = pictures();
  const first = await drawn.svg('demo', plain);
  expect([await drawn.svg('demo', plain), laidOut.length]).toEqual([first, 1]);
  now.stamp = 'second';
  await drawn.svg('demo', plain);
  expect(laidOut).toHaveLength(2);
  now.layout = { nodes: { r1: { x: 500, y: 0 } }, links: {} };
  expect(await drawn.svg('demo', plain)).not.toBe(first);
  expect(laidOut).toHaveLength(3);
});

describe('a lab that is too large', () => {
  const names = (count: number): readonly string[] =>
    Array.from({ length: count }, (_, index) => `n${index}`);
  const of = (nodes: number, lines: number): LabTopology => ({
    nodes: names(nodes).map((name) => node(name)),
    links: names(lines).map((id) => link(id, ['n0', 'n1'])),
  });
  /** It is not laid out in the end: that takes long, and is not what is tested here. */
  const broken = { layOut: async () => Promise.reject(new Error('it is laid out')) };

  test.each([
    ['1501 nodes', 1_501, 0, '1501 nodes and networks, and 0 lines'],
    ['3001 lines', 2, 3_001, '2 nodes and networks, and 3001 lines'],
  ])('%s: it says how large, and where all of it is', async (_what, nodes, lines, size) => {
    now.topology = of(nodes, lines);
    expect(await failureOf(pictures(broken).svg('demo', plain))).toMatchObject({
      code: 'not-supported',
      message: expect.stringMatching(`^lab "demo" has ${size}: .*GET …/topology`),
    });
  });

  test('one of as many as are allowed is not', async () => {
    now.topology = of(1_500, 3_000);
    await expect(pictures(broken).svg('demo', plain)).rejects.toThrow('it is laid out');
  });
});
