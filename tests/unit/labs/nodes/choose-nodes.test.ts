import { describe, expect, test } from '@jest/globals';
import { chooseNodes, type NodeGroups } from '../../../../src/labs/nodes/choose-nodes.ts';
import { failureOf } from '../../../support/failure-of.ts';

const names = ['r1', 'r2', 'r10', 'h1', 'core'];
const groups: NodeGroups = new Map([
  ['routers', new Set(['r10', 'r1', 'unmanaged'])],
  ['core', new Set(['r2'])],
  ['absent', new Set(['unmanaged'])],
]);
const choose = async (...words: string[]) =>
  chooseNodes(words, { names, groups: async () => Promise.resolve(groups) });

describe('the nodes', () => {
  test.each([
    [['r2'], 'r2'],
    [['h1', 'r2', 'r2'], 'r2 h1'],
    [['all'], 'r1 r2 r10 h1 core'],
    [['*'], 'r1 r2 r10 h1 core'],
    [['r*'], 'r1 r2 r10'],
    [['r?'], 'r1 r2'],
    [['*1*'], 'r1 r10 h1'],
    [['*o*e', '?1'], 'r1 h1 core'],
    [['r[1-9]'], 'r1 r2'],
    [['r[2,10-12]', 'h[1]'], 'r2 r10 h1'],
    [['routers'], 'r1 r10'],
    [['group:routers', 'h*'], 'r1 r10 h1'],
    [['core'], 'core'],
    [['group:core'], 'r2'],
  ])('of %j are %s', async (words, chosen) => {
    expect((await choose(...words)).join(' ')).toBe(chosen);
  });

  test('of a name or a pattern are chosen without a look at the topology', async () => {
    const untold = async () => Promise.reject(new Error('not asked'));
    expect(await chooseNodes(['r1', 'h*'], { names, groups: untold })).toEqual(['r1', 'h1']);
  });

  test('a pattern of many stars takes no time', async () => {
    const long = 'a'.repeat(200);
    const choice = { names: [long], groups: async () => Promise.resolve(groups) };
    expect((await failureOf(chooseNodes([`${'*a'.repeat(100)}*b`], choice))).message).toContain(
      'no node matches',
    );
  });
});

describe('a word that chooses none is refused', () => {
  const has = 'the lab has r1, r2, r10, h1, core';
  const range = 'A range such as r[1-3] stands at the end';
  const and = 'and the groups routers, core, absent';
  test.each([
    ['x*', `nodes.1: no node matches "x*"; ${has}`],
    ['R1', `nodes.1: no node or group is called "R1"; ${has}, ${and}`],
    ['[r]', `nodes.1: no node matches "[r]"; ${has}. ${range}`],
    ['r[01-03]', `nodes.1: no node matches "r[01-03]"; ${has}. ${range}`],
    ['r[3-1]', `nodes.1: no node matches "r[3-1]"; ${has}. ${range}`],
    ['router', `nodes.1: no node or group is called "router"; ${has}, ${and}; did you mean "routers"?`],
    ['group:routes', `nodes.1: no group is called "routes"; ${has}, ${and}; did you mean "routers"?`],
    ['group:r1', `nodes.1: no group is called "r1"; ${has}, ${and}`],
    ['group:', `nodes.1: no group is called ""; ${has}, ${and}`],
    ['absent', `nodes.1: no node of the group "absent" is there; ${has}`],
  ])('%s', async (word, message) => {
    expect((await failureOf(choose('r1', word))).message).toBe(message);
  });

  test('in a lab without groups or nodes', async () => {
    const none = { names: [], groups: async () => Promise.resolve<NodeGroups>(new Map()) };
    expect((await failureOf(chooseNodes(['all'], none))).message).toContain('the lab has no nodes');
    expect((await failureOf(chooseNodes(['leafs'], none))).message).toContain(
      'the lab has no nodes, and no groups',
    );
  });
});
