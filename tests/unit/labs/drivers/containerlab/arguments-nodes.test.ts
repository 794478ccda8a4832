import { describe, expect, test } from '@jest/globals';
import { checkOptions, commandArguments } from '../../../../../src/labs/drivers/containerlab/arguments.ts';
import { containerlab } from '../../../../../src/labs/drivers/containerlab/containerlab.ts';
import { recorded } from '../../../../support/containerlab-recorded.ts';
import { failureOf } from '../../../../support/failure-of.ts';

const actions = ['start-nodes', 'stop-nodes', 'restart-nodes'] as const;

const argumentsOf = (
  action: (typeof actions)[number],
  options: object,
  labFile: string | undefined = '/labs/blue.clab.yml',
): readonly string[] =>
  commandArguments({
    action,
    options,
    topologyFile: undefined,
    labName: undefined,
    instance: 'blue',
    labFile,
    isListed: true,
  });

test.each([
  ['start-nodes', 'start'],
  ['stop-nodes', 'stop'],
  ['restart-nodes', 'restart'],
] as const)('%s is `containerlab %s`, which knows nodes by the topology alone', (action, word) => {
  const file = ['--topo', '/labs/blue.clab.yml', '--name', 'blue'];
  expect(argumentsOf(action, { nodes: ['h1', 'h2', 'h1'] })).toEqual([word, ...file, '--node', 'h1,h2']);
  expect(argumentsOf(action, { nodes: ['*'], vars: '/v.yml', nodeWaitSeconds: 9 })).toEqual([
    word,
    ...file,
    '--vars',
    '/v.yml',
    '--timeout',
    '9s',
  ]);
});

describe('nodes', () => {
  test.each([[['h1']], [['h1', 'r-2', 'a.b_c']], [['*']]])('%j may be stopped', async (nodes) => {
    await checkOptions({ nodes }, '/labs');
  });

  test.each([[['*', 'h1']], [['h1', '*']], [['h1,h2']], [['h 1']], [['r*']]])(
    '%j are refused',
    async (nodes) => {
      expect(await failureOf(checkOptions({ nodes }, '/labs'))).toMatchObject({
        code: 'invalid-request',
        errors: [{ field: 'nodes' }],
      });
    },
  );
});

describe.each(actions)('%s that was ended', (action) => {
  const mayHaveLeft = (logEnd: string): boolean =>
    containerlab.mayHaveLeftLab({}, { action, directory: '/labs', logEnd, beganMs: null });

  test('half-way may have left a node without its links', () => {
    expect(mayHaveLeft('')).toBe(true);
    expect(mayHaveLeft('22:01:24 INFO Parsing & checking topology file=blue.clab.yml\n')).toBe(true);
    expect(mayHaveLeft(recorded('stop-interrupted.log'))).toBe(true);
  });

  test('before it began has changed nothing', () => {
    expect(mayHaveLeft(recorded('stop-unknown-node.log'))).toBe(false);
  });
});
