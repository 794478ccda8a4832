import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { nodesOf, summaryOf } from '../../../../../src/labs/drivers/netlab/lab-facts.ts';

const fixture = (name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(path.resolve(__dirname, '../../../../fixtures/netlab', name), 'utf8')) as Record<
    string,
    unknown
  >;

const printedAtMs = Date.parse('2026-11-21T03:33:10Z');

test('what netlab 26.10 says of a lab', () => {
  const { default: entry } = fixture('status-all.json') as { default: Record<string, unknown> };
  const started = { name: 'demo', provider: 'clab', startedAtMs: Date.parse('2026-11-21T03:33:00.105Z') };
  expect(summaryOf(entry)).toEqual(started);
  expect(summaryOf({ ...entry, status: 'stopping' })).toEqual({ ...started, startedAtMs: null });
});

test.each([{}, { log: 7, providers: {}, name: '' }, { status: 'started', log: ['x: started', 7] }])(
  'of %p nothing is known',
  (entry) => {
    expect(summaryOf(entry)).toEqual({ name: null, provider: null, startedAtMs: null });
  },
);

test('what netlab 26.10 says of nodes', () => {
  const nodes = nodesOf(fixture('status-instance.json'), printedAtMs);
  expect(nodes).toHaveLength(5);
  expect(nodes[0]).toEqual({
    name: 'r1',
    device: 'frr',
    provider: 'clab',
    image: 'quay.io/frrouting/frr:10.7.1',
    address: '192.168.121.101',
    state: 'up',
    since: { atMs: printedAtMs - 4_000, withinMs: 1_000 },
  });
});

test('a node whose container is gone has no status: it is down', () => {
  const nodes = nodesOf(fixture('status-dead-node.json'), printedAtMs);
  const down = nodes.filter(({ state }) => state !== 'up');
  expect(down).toMatchObject([{ name: 'h2', state: 'down', since: null }]);
});

test.each([
  ['running', 'up'],
  ['Up 3 seconds', 'up'],
  ['Starting up', 'down'],
  ['upset', 'down'],
  ['Unknown', 'unknown'],
  [7, 'unknown'],
  [null, 'down'],
  ['', 'down'],
])('a node that is %j is %s', (status, state) => {
  expect(nodesOf({ nodes: { r1: { status } } }, printedAtMs)).toMatchObject([{ state }]);
});

test('what is no node has a state that nobody knows, and what are no nodes are none', () => {
  expect(nodesOf({ nodes: { r1: 'odd' } }, printedAtMs)).toMatchObject([
    { name: 'r1', device: null, state: 'unknown' },
  ]);
  for (const nodes of [undefined, 7, ['r1']]) expect(nodesOf({ nodes }, printedAtMs)).toEqual([]);
});

test('a lab that is missing was started, and a line that is none says nothing', () => {
  const log = ['2026-11-21T03:33:00.105000+00:00: started', 7];
  const startedAtMs = Date.parse('2026-11-21T03:33:00.105Z');
  expect(summaryOf({ status: 'missing', log })).toMatchObject({ startedAtMs });
});

describe('since when a node is up', () => {
  test.each([
    ['Up Less than a second', 1_000, 1_000],
    ['Up 59 seconds', 59_000, 1_000],
    ['Up About a minute (healthy)', 60_000, 60_000],
    ['Up 3 minutes', 180_000, 60_000],
    ['Up About an hour', 3_600_000, 3_600_000],
    ['Up 2 days', 172_800_000, 86_400_000],
  ])('%s', (status, ms, withinMs) => {
    expect(nodesOf({ nodes: { r1: { status } } }, printedAtMs)).toMatchObject([
      { since: { atMs: printedAtMs - ms, withinMs } },
    ]);
  });

  test.each(['running', 'Up', 'Exited (137) 2 minutes ago', 'Up to 3 seconds'])(
    '%s does not tell',
    (status) => {
      expect(nodesOf({ nodes: { r1: { status } } }, printedAtMs)).toMatchObject([{ since: null }]);
    },
  );

  test('the nodes of the engine came up with their lab', () => {
    const log = ['2026-11-21T03:33:00.105000+00:00: started'];
    const document = { status: 'started', log, nodes: { r1: { status: 'Up' }, r2: { status: 'missing' } } };
    const atMs = Date.parse('2026-11-21T03:33:00.105Z');
    expect(nodesOf(document, printedAtMs)).toMatchObject([{ since: { atMs, withinMs: 0 } }, { since: null }]);
  });
});
