/** Several lab CLIs in one service: what the settings may say. */
import { describe, expect, test } from '@jest/globals';
import { loadConfig } from '../../../src/config/load-config.ts';
import { problemOfClis } from '../../../src/labs/drivers/drivers.ts';
import { configProblemsOf } from '../../support/config-problems.ts';

const HOME = '/home/lab';

test.each([
  [{}, 'auto', []],
  [{ LAB_API_CLI: 'engine' }, 'engine', []],
  [{ LAB_API_CLIS: 'containerlab' }, 'containerlab', []],
  [{ LAB_API_CLIS: 'netlab, containerlab' }, 'netlab', ['containerlab']],
  [{ LAB_API_CLIS: 'netlab,containerlab', LAB_API_CLI: 'netlab' }, 'netlab', ['containerlab']],
  [{ LAB_API_CLIS: '/opt/a/netlab,engine' }, '/opt/a/netlab', ['engine']],
])('%j: %s, and beside it %j', (env, cli, moreClis) => {
  expect(loadConfig({ HOME, ...env })).toMatchObject({ cli, moreClis });
});

test.each([
  [{ LAB_API_CLIS: 'netlab,netlab' }, /^LAB_API_CLIS: "netlab" is named twice/],
  [{ LAB_API_CLIS: 'auto,netlab' }, /^LAB_API_CLIS: "auto" may be any of them/],
  [{ LAB_API_CLIS: 'netlab,' }, /^LAB_API_CLIS: "netlab," has an empty entry/],
  [
    { LAB_API_CLIS: 'netlab,engine', LAB_API_CLI: 'engine' },
    /^LAB_API_CLIS: LAB_API_CLI says "engine", and the first of the list is "netlab"/,
  ],
])('%j is refused', (env, words) => {
  expect(configProblemsOf({ HOME, ...env })).toEqual([expect.stringMatching(words)]);
});

describe('which lab CLIs go together', () => {
  test.each([
    [['netlab', 'containerlab', 'engine']],
    [['/opt/mine/netlab', '/opt/mine/containerlab']],
    [['engine', '/opt/speaks-netlab']],
  ])('%j do', (settings) => expect(problemOfClis(settings)).toBeUndefined());

  test.each([
    [
      ['netlab', 'contanerlab'],
      '"contanerlab" is no lab CLI: use netlab, engine, containerlab, or the path of a program',
    ],
    [
      ['netlab', '/opt/other'],
      '"netlab" and "/opt/other" are both "netlab" to requests: a service has one lab CLI of a kind',
    ],
  ])('%j do not', (settings, why) => expect(problemOfClis(settings)).toBe(why));
});
