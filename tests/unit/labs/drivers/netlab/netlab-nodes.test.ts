import { describe, expect, test } from '@jest/globals';
import { netlab } from '../../../../../src/labs/drivers/netlab/netlab.ts';
import type { NodeAddress } from '../../../../../src/labs/drivers/node-driver.ts';

const address = (entry: Record<string, unknown>): NodeAddress => ({
  cli: '/opt/netlab/bin/netlab',
  lab: 'default',
  node: 'r1',
  entry,
  isOtherUser: false,
});
const container = address({ provider: 'clab', provider_name: 'clab-demo-r1' });
const machine = address({ provider: 'libvirt', provider_name: 'demo_r1' });

const wanted = { session: 'the-session', term: 'xterm-256color', program: undefined };
const noLook = () => Promise.reject(new Error('asked'));

describe('the shell of a container', () => {
  const shellFor = async (dryRun: string) =>
    netlab.nodes.terminal(container, wanted, () => Promise.resolve(dryRun));
  const marks = ['--env', 'LAB_NODE_SESSION=the-session', '--env', 'TERM=xterm-256color'];
  const inContainer = (...shell: readonly string[]) => [
    'docker',
    'exec',
    '--interactive',
    '--tty',
    ...marks,
    'clab-demo-r1',
    ...shell,
  ];

  test.each([
    ["DRY RUN: ['docker', 'exec', 'clab-demo-r1', 'bash', '-il']", ['bash', '-il']],
    ["Some warning\nDRY RUN: ['docker', 'exec', '-it', 'clab-demo-r1', 'Cli']\n", ['Cli']],
    [`DRY RUN: ['docker', 'exec', 'clab-demo-r1', "it's", 'a\\\\b']`, ["it's", 'a\\b']],
  ])('is that of %s', async (dryRun, shell) => {
    const { command, inside } = await shellFor(dryRun);
    expect(command).toEqual(inContainer(...shell));
    expect(inside).toEqual(['docker', 'exec', '--interactive', 'clab-demo-r1']);
  });

  test.each([
    '',
    "DRY RUN: ['docker', 'exec', 'clab-demo-r1']",
    "DRY RUN: ['docker', 'exec', 'another', 'bash']",
    "DRY RUN: ['ssh', 'vagrant@192.168.121.101']",
    "DRY RUN: ['podman', 'exec', 'clab-demo-r1', 'bash']",
    "no DRY RUN: ['docker', 'exec', 'clab-demo-r1', 'bash']",
    "DRY RUN: ['docker', 'exec', 'clab-demo-r1', 'bash'] and more",
  ])('is left to netlab when it says "%s"', async (dryRun) => {
    expect(await shellFor(dryRun)).toEqual({
      command: ['/opt/netlab/bin/netlab', 'connect', '--instance', 'default', 'r1'],
      inside: [],
    });
  });
});

test('a program at the terminal of a container is run by Docker; a virtual machine runs none', async () => {
  const asked = { ...wanted, program: ['ls', '-l'] };
  const { command } = await netlab.nodes.terminal(container, asked, noLook);
  expect(command.slice(-3)).toEqual(['clab-demo-r1', 'ls', '-l']);
  await expect(netlab.nodes.terminal(machine, asked, noLook)).rejects.toMatchObject({
    code: 'not-supported',
  });
});

test('netlab is asked which shell there is, and starts none', async () => {
  const asked: unknown[] = [];
  const look = async (command: readonly string[]) => {
    asked.push(command);
    return Promise.resolve('');
  };
  await netlab.nodes.terminal(container, wanted, look);
  expect(asked).toEqual([['/opt/netlab/bin/netlab', 'connect', '--instance', 'default', '--dry-run', 'r1']]);
});

describe('a virtual machine', () => {
  test('has a terminal by netlab, which is not asked before', async () => {
    const { command, inside } = await netlab.nodes.terminal(machine, wanted, noLook);
    expect(command).toEqual(['/opt/netlab/bin/netlab', 'connect', '--instance', 'default', 'r1']);
    expect(inside).toEqual([]);
  });

  test.each([
    ['commands', () => netlab.nodes.inside(machine)],
    ['packets', () => netlab.nodes.inNetwork(machine)],
    ['log', () => netlab.nodes.log(machine, { follow: false, tail: undefined })],
  ])('has no %s, and says why', (_what, ask) => {
    expect(ask).toThrow(
      expect.objectContaining({ code: 'not-supported', message: expect.stringMatching(/libvirt/) }),
    );
  });
});

test('a node of which the status says nothing is no container', () => {
  for (const entry of [{}, { provider: 'clab' }, { provider: 'clab', provider_name: '' }])
    expect(() => netlab.nodes.inside(address(entry))).toThrow(/is no container/);
});
