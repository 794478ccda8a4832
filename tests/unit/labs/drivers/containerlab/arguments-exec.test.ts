import { expect, test } from '@jest/globals';
import { commandArguments } from '../../../../../src/labs/drivers/containerlab/arguments.ts';

const argumentsOf = (nodes: string[]): readonly string[] =>
  commandArguments({
    action: 'exec',
    options: { nodes, command: ['echo', 'two words'] },
    topologyFile: undefined,
    labName: undefined,
    instance: 'blue',
    labFile: undefined,
    isListed: true,
  });

/** The labels that a container must have, all of them, for the command to run in it. */
const labelsOf = (args: readonly string[]): readonly string[] =>
  args.filter((_argument, index) => args[index - 1] === '--label');

// `containerlab exec --name blue` runs the command in every container of every lab of the machine (0.79, cmd/exec.go).
test.each([
  ['all nodes', ['*'], ['containerlab=blue']],
  ['one node', ['h1'], ['containerlab=blue', 'clab-node-name=h1']],
])('exec in %s is about its own lab alone', (_what, nodes, labels) => {
  expect(labelsOf(argumentsOf(nodes))).toEqual(labels);
});

test('words stay words', () => {
  expect(argumentsOf(['*']).slice(-2)).toEqual(['--cmd', "echo 'two words'"]);
});
