/** The tables are those that netlab 26.10 printed. */
import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { listedTests } from '../../../../../src/labs/drivers/netlab-language/netlab-tests.ts';

const recorded = (name: string): string =>
  readFileSync(path.resolve(__dirname, '../../../../fixtures/netlab/validate', name), 'utf8');

const three = [
  {
    name: 'adjacency',
    description: 'Both routers see each other | and agree on the area of the link between them',
    nodes: ['r1', 'r2'],
    devices: ['frr'],
    waitSeconds: 40,
  },
  { name: 'pause', description: null, nodes: [], devices: [], waitSeconds: 5 },
  { name: 'any', description: 'One router', nodes: ['r3'], devices: ['frr', 'eos'], waitSeconds: null },
];

test.each(['list-broken.txt', 'list-ascii.txt'])('%s: a description over several lines is one', (name) => {
  expect(listedTests(recorded(name))).toEqual(three);
});

/** As wide as it needs to be, which is how the service asks for it. */
const table = (...rows: readonly string[]): string =>
  ['┏━━━┓', '┃ Test ┃ Description ┃ Nodes ┃ Devices ┃ Wait ┃', '┡━━━┩', ...rows, '└───┘', ''].join('\n');

describe('a table', () => {
  test('that has no row has no test', () => {
    expect(listedTests(table())).toEqual([]);
  });

  test('may have its bars in a description', () => {
    expect(listedTests(table('│ a │ b │ c │ r1 │ frr │ 3 │'))).toEqual([
      { name: 'a', description: 'b │ c', nodes: ['r1'], devices: ['frr'], waitSeconds: 3 },
    ]);
  });

  test.each(['3s', 's3', '-3', '3.5', 'long'])('that has "%s" to wait has no seconds', (wait) => {
    expect(listedTests(table(`│ a │ │ r1 │ │ ${wait} │`))?.[0]?.waitSeconds).toBeNull();
  });

  test('may have blanks behind its lines, and lines of something else between them', () => {
    const rows = [
      '│ a │ b │ r1 │  │  │  ',
      ' │ x │ not at the beginning │ │ │ │',
      '│ y │ not to the end │ │ │',
      '[INFO] read',
    ];
    expect(listedTests(table(...rows))).toEqual([
      { name: 'a', description: 'b', nodes: ['r1'], devices: [], waitSeconds: null },
    ]);
  });

  test.each(['', 'something else', '│ a │ b │ c │ d │ e │', '┃ Test ┃ Description ┃ Nodes ┃ Devices ┃'])(
    'is not %j',
    (text) => {
      expect(listedTests(text)).toBeUndefined();
    },
  );
});
