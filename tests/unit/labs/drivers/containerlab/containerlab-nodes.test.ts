import { describe, expect, test } from '@jest/globals';
import { containerlabNodes } from '../../../../../src/labs/drivers/containerlab/containerlab-nodes.ts';
import type { NodeAddress } from '../../../../../src/labs/drivers/node-driver.ts';

const address = (entry: Record<string, unknown>): NodeAddress => ({
  cli: '/usr/bin/containerlab',
  lab: 'demo',
  node: 'r1',
  entry,
});
const linux = address({ container: 'clab-demo-r1', kind: 'linux' });

describe('a node', () => {
  test('is entered by its container, and its network by the name of that', () => {
    expect(containerlabNodes.inside(linux)).toEqual(['docker', 'exec', '--interactive', 'clab-demo-r1']);
    expect(containerlabNodes.inNetwork(linux).slice(-4)).toEqual(['ip', 'netns', 'exec', 'clab-demo-r1']);
  });

  test.each([
    [{ follow: false, tail: undefined }, ['docker', 'logs', 'clab-demo-r1']],
    [{ follow: true, tail: 5 }, ['docker', 'logs', '--follow', '--tail', '5', 'clab-demo-r1']],
  ])('has a log: %j', (options, command) => {
    expect(containerlabNodes.log(linux, options)).toEqual(command);
  });

  test.each<[unknown, readonly string[]]>([
    ['linux', ['sh', '-c', expect.stringContaining('exec bash -il') as unknown as string]],
    [undefined, ['sh', '-c', expect.stringContaining('exec sh -il') as unknown as string]],
    ['constructor', ['sh', '-c', expect.stringContaining('exec sh -il') as unknown as string]],
    ['nokia_srlinux', ['sr_cli']],
    ['srl', ['sr_cli']],
    ['ceos', ['Cli']],
    ['crpd', ['cli']],
  ])('of kind %p has a terminal', async (kind, shell) => {
    const node = address({ ...linux.entry, kind });
    const none = () => Promise.reject(new Error('nothing is looked at'));
    const { command, inside } = await containerlabNodes.terminal(node, 'the-session', none);
    const marks = ['--env', 'LAB_NODE_SESSION=the-session', '--env', 'TERM=xterm-256color'];
    expect(command).toEqual(['docker', 'exec', '--interactive', '--tty', ...marks, 'clab-demo-r1', ...shell]);
    expect(inside).toEqual(['docker', 'exec', '--interactive', 'clab-demo-r1']);
  });
});

test.each([{}, { container: '' }, { container: 7 }])(
  'what is no container has no way in: %j',
  async (entry) => {
    for (const ask of [
      () => containerlabNodes.inside(address(entry)),
      () => containerlabNodes.inNetwork(address(entry)),
      () => containerlabNodes.log(address(entry), { follow: false, tail: undefined }),
    ])
      expect(ask).toThrow(expect.objectContaining({ code: 'not-supported', message: 'r1 is no container' }));
    const terminal = containerlabNodes.terminal(address(entry), 'x', () => Promise.resolve(''));
    await expect(terminal).rejects.toMatchObject({ code: 'not-supported' });
  },
);
