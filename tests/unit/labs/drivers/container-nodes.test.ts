import { expect, test } from '@jest/globals';
import { containerNodes } from '../../../../src/labs/drivers/container-nodes.ts';

const address = { cli: '/lab', lab: 'demo', node: 'r1', entry: {}, isOtherUser: false };
const asked: string[] = [];
const nodes = containerNodes(({ node }, instead) => {
  asked.push(instead);
  return `clab-demo-${node}`;
});
const sudo = process.getuid?.() === 0 ? [] : ['sudo', '-n'];

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
