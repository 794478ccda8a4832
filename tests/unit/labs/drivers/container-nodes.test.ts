import { expect, test } from '@jest/globals';
import { containerNodes, terminalIn } from '../../../../src/labs/drivers/container-nodes.ts';

const address = { cli: '/lab', lab: 'demo', node: 'r1', entry: {} };
const asked: string[] = [];
const nodes = containerNodes(({ node }, instead) => {
  asked.push(instead);
  return `clab-demo-${node}`;
});
const sudo = process.getuid?.() === 0 ? [] : ['sudo', '-n'];

test('a terminal is marked as the one of its session', () => {
  const marks = ['--env', 'LAB_NODE_SESSION=mark', '--env', 'TERM=xterm-256color'];
  const docker = ['docker', 'exec', '--interactive', '--tty'];
  expect(terminalIn('c1', 'mark', ['sh', '-l'])).toEqual([...docker, ...marks, 'c1', 'sh', '-l']);
});

test('commands run in the container, and what is about packets in its network', () => {
  expect(nodes.inside(address)).toEqual(['docker', 'exec', '--interactive', 'clab-demo-r1']);
  expect(nodes.inNetwork(address)).toEqual([...sudo, 'ip', 'netns', 'exec', 'clab-demo-r1']);
  expect(asked.map((words) => words !== '')).toEqual([true, true]);
});

test.each([
  [{ follow: false, tail: undefined }, []],
  [{ follow: true, tail: undefined }, ['--follow']],
  [{ follow: false, tail: 0 }, ['--tail', '0']],
  [{ follow: true, tail: 7 }, ['--follow', '--tail', '7']],
])('its log with %j', (options, flags) => {
  expect(nodes.log(address, options)).toEqual(['docker', 'logs', ...flags, 'clab-demo-r1']);
});
