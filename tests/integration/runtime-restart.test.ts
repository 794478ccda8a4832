/** Single nodes of netlab's labs in namespaces start anew, with real namespaces and processes. */
import { expect } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { containerLabs, deploy, destroy } from '../support/container-lab.ts';
import { missingForLabs } from '../support/engine-cli.ts';
import { testUnless } from '../support/requirements.ts';
import { isThorough } from '../support/thorough.ts';

const missing = missingForLabs() ?? (process.getuid?.() === 0 ? undefined : 'needs root');
const { because, it } = testUnless(missing);
const { labOf } = containerLabs();

it(`a restart makes a node anew, and keeps its links and the other nodes${because}`, async () => {
  const lab = labOf(['a', 'b', 'c'], {
    a: ", exec: ['ip addr add 10.9.0.1/24 dev r']",
    b: ", exec: ['ip addr add 10.9.0.2/24 dev l']",
  });
  expect(await lab.run('containerlab', ...deploy)).toMatchObject({ exitCode: 0 });
  const inside = async (node: string, command: string) =>
    lab.run('docker', 'exec', lab.container(node), 'sh', '-c', command);
  const look =
    'ip -brief address; ip -4 route show table all; ip -6 route show table all | grep -v fe80; ip rule; ip -6 rule; ip nexthop; ls /etc';
  // Sorted: the kernel lists routes of equal prefix in the order in which their links came up.
  const network = async () => {
    await inside('a', 'until ip -brief link show r | grep -q UP; do sleep 0.1; done');
    const { stdout } = await inside('a', look);
    return stdout
      .replaceAll(/fe80\S*/g, 'fe80')
      .split('\n')
      .toSorted();
  };
  const fresh = await network();
  const leave = [
    'ip link add bridge0 type bridge && ip link set bridge0 up && ip link set r master bridge0',
    'ip addr add 10.7.0.1/24 dev bridge0 && ip addr add 10.8.0.1/32 dev lo',
    'ip route add blackhole 10.6.0.0/24 && ip route add 10.5.0.0/24 via 10.7.0.2 table 5 && touch /etc/more',
    'ip rule add from 10.1.0.0/16 lookup 77 && ip link add v0 type veth peer name v1',
    '(sleep 1000 >/dev/null 2>&1 & echo left)',
  ];
  expect((await inside('a', leave.join(' && '))).stdout).toBe('left\n');
  const [a, b] = [lab.pidOf('a'), lab.pidOf('b')];
  const processes = () =>
    execFileSync('ip', ['netns', 'pids', lab.container('a')], { encoding: 'utf8' }).split('\n');
  const before = processes();

  expect(await lab.run('containerlab', 'restart', '--node', 'a')).toEqual({
    exitCode: 0,
    stdout: 'Stopped node a\nStarted node a\n',
    stderr: '',
  });
  expect(lab.pidOf('a')).not.toBe(a);
  expect(lab.pidOf('b')).toBe(b);
  expect(await network()).toEqual(fresh);
  expect((await inside('a', 'ping -c1 -W2 10.9.0.2')).exitCode).toBe(0);
  expect(processes().filter((pid) => pid !== '' && before.includes(pid))).toEqual([]);

  // One that has ended by itself; and all of them.
  process.kill(lab.pidOf('c'), 'SIGKILL');
  expect(await lab.run('containerlab', 'restart', '--node', 'c,a')).toMatchObject({ exitCode: 0 });
  expect(await lab.run('containerlab', 'restart')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^((Stopped|Started) node [abc]\n){6}$/),
  });
  expect((await inside('a', 'ping -c1 -W2 10.9.0.2')).exitCode).toBe(0);
  expect(await lab.run('containerlab', ...destroy)).toMatchObject({ exitCode: 0, stderr: '' });
  expect(lab.leftovers()).toEqual([]);
});

it(`a restart of a node that is not there changes nothing, and says so${because}`, async () => {
  const lab = labOf(['a', 'b']);
  const why = async (...words: readonly string[]) =>
    (await lab.run('containerlab', 'restart', ...words)).stderr;
  expect(await why('--node', 'a')).toMatch(/is not started\n$/);
  await lab.run('containerlab', ...deploy);
  const pid = lab.pidOf('a');
  expect(await why('--node', 'a,z')).toMatch(/has no node "z": it has a, b\n$/);
  expect(await why('--node', '')).toMatch(/has no node "": it has a, b\n$/);
  expect(lab.pidOf('a')).toBe(pid);
  await lab.run('containerlab', ...destroy);
  expect(await why()).toMatch(/is not started\n$/);
});

it(`a restart of a node that cannot start does not keep the others from it, and one without a link is not stopped${because}`, async () => {
  const lab = labOf(['a', 'b', 'c']);
  await lab.run('containerlab', ...deploy);
  const inside = async (node: string, ...words: readonly string[]) =>
    lab.run('docker', 'exec', lab.container(node), ...words);
  const pid = lab.pidOf('a');
  await inside('a', 'sh', '-c', 'ip link set r down && ip link set r name uplink');
  expect(await lab.run('containerlab', 'restart')).toMatchObject({
    exitCode: 1,
    stdout: '',
    stderr: expect.stringMatching(/these nodes lack interfaces of their own: a \(r\): start the lab anew\n$/),
  });
  expect(lab.pidOf('a')).toBe(pid);
  await inside('a', 'ip', 'link', 'set', 'uplink', 'name', 'r');
  const directory = path.join(lab.records, 'nodes', lab.container('a'));
  // A node's place that cannot be made.
  rmSync(directory, { recursive: true });
  writeFileSync(directory, '');
  const { exitCode, stdout, stderr } = await lab.run('containerlab', 'restart');
  expect([exitCode, stdout.match(/Started node [bc]/g)?.toSorted()]).toEqual([
    1,
    ['Started node b', 'Started node c'],
  ]);
  expect(stderr).toMatch(/Fatal error in lab containerlab: .*ENOTDIR.*\n$/);
  rmSync(directory);
  expect(await lab.run('containerlab', 'restart')).toMatchObject({ exitCode: 0, stderr: '' });
  await lab.run('containerlab', ...destroy);
});

it(`a restart keeps a command that comes meanwhile out of the machine${because}`, async () => {
  const lab = labOf(['a']);
  await lab.run('containerlab', ...deploy);
  const restarting = lab.start('restart');
  const answers = new Set<string>();
  while (restarting.exitCode === null) {
    const { exitCode, stdout } = await lab.run(
      'docker',
      'exec',
      lab.container('a'),
      'sh',
      '-c',
      `[ -e ${lab.records} ] && echo machine || hostname`,
    );
    answers.add(exitCode === 0 ? stdout : 'refused');
  }
  expect([...answers].filter((answer) => answer !== 'a\n' && answer !== 'refused')).toEqual([]);
  await lab.run('containerlab', ...destroy);
});

it(`a restart is done by netlab's stand-in, which has netlab configure the nodes then${because}`, async () => {
  const lab = labOf(['a', 'b']);
  writeFileSync(path.join(lab.directory, 'netlab'), '#!/bin/sh\necho "netlab: $*"\nexit 3\n', {
    mode: 0o755,
  });
  await lab.run('containerlab', ...deploy);
  const [a, b] = [lab.pidOf('a'), lab.pidOf('b')];
  const restarted = async (...words: readonly string[]) => lab.run('netlab', 'restart-nodes', ...words);
  expect(await restarted('--node', 'b', '--instance', '1', '-q')).toMatchObject({
    exitCode: 3,
    stdout: 'Stopped node b\nStarted node b\nnetlab: initial --limit b -q\n',
  });
  expect([lab.pidOf('a') === a, lab.pidOf('b') === b]).toEqual([true, false]);
  expect(await restarted('--node', '*')).toMatchObject({
    exitCode: 3,
    stdout: expect.stringMatching(/^((Stopped|Started) node [ab]\n){4}netlab: initial\n$/),
  });
  expect(await restarted('--node', 'z')).toMatchObject({ exitCode: 1, stdout: '' });
  expect(await restarted('--node', '')).toMatchObject({ exitCode: 2, stdout: '' });
  expect((await restarted('--node', 'a', '--node', 'b')).stdout).toMatch(/netlab: initial --limit a,b\n$/);
  expect(await restarted('--fly')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--fly') });
  expect(await lab.run('netlab', 'up', '-v')).toMatchObject({ exitCode: 3, stdout: 'netlab: up -v\n' });
  await lab.run('containerlab', ...destroy);
});

it(`a restart that is killed at any instant is done by the next one${because}`, async () => {
  const lab = labOf(['a', 'b'], {
    a: ", exec: ['ip addr add 10.9.0.1/24 dev r']",
    b: ", exec: ['ip addr add 10.9.0.2/24 dev l']",
  });
  await lab.run('containerlab', ...deploy);
  for (let round = 0; round < (isThorough ? 30 : 6); round += 1) {
    const child = lab.start('restart');
    const exit = new Promise((resolve) => child.once('exit', resolve));
    await delay(Math.random() * 700);
    child.kill(round % 2 === 0 ? 'SIGKILL' : 'SIGTERM');
    await exit;
    expect(await lab.run('containerlab', 'restart')).toMatchObject({ exitCode: 0, stderr: '' });
    const ping = await lab.run('docker', 'exec', lab.container('a'), 'ping', '-c1', '-W2', '10.9.0.2');
    expect(ping.exitCode).toBe(0);
  }
  expect(await lab.run('containerlab', ...destroy)).toMatchObject({ exitCode: 0, stderr: '' });
  expect(lab.leftovers()).toEqual([]);
}, 300_000);
